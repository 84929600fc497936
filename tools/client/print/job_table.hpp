// The tables of jobs: plain `qstat` (one line per job) and the alternative forms -a -i -r -H -T -s -n -u (pbs guide:
// qstat). Pure: from (objects, options, now) to text.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tools/client/print/object.hpp"

namespace annals::client {

struct job_table_options {
  bool wide = false;     // -w
  bool percent = false;  // -p: percentage done instead of cpu time
};

// Job id, Name, User, Time Use, S, Queue. A job without resources_used shows 0 as its time.
class job_table {
 public:
  explicit job_table(job_table_options options) : options_(options) {}
  static std::span<const attributes::attribute_id> wanted();  // what the table needs of a job
  void heading(std::string& out) const;
  void row(std::string& out, const object_view& job) const;

 private:
  job_table_options options_;
};

enum class size_unit : std::uint8_t { as_given,
                                      gigabytes,
                                      megawords };  // -G, -M (a word has 8 bytes)

struct job_list_options {
  bool wide = false;       // -w
  bool comments = false;   // -s: the comment on a line of its own, cut at the width
  bool hosts = false;      // -n: exec_host
  bool same_line = false;  // -1: hosts and comments at the end of the job's line
  bool estimates = false;  // -T: estimated start instead of elapsed time
  bool by_start = true;    // with it: they are shown, and jobs come in their order; PBS does neither with -a
  size_unit unit = size_unit::as_given;
};

class job_list {
 public:
  job_list(job_list_options options, std::int64_t now) : options_(options), now_(now) {}
  static std::span<const attributes::attribute_id> wanted();
  void heading(std::string& out, std::string_view server) const;
  void row(std::string& out, const object_view& job) const;
  // What -T orders by: jobs that have begun come first, then by their estimated start, then those without one.
  static std::int64_t start_of(const object_view& job);

 private:
  void put_below(std::string& out, std::string_view hosts, std::string_view comment) const;
  job_list_options options_;
  std::int64_t now_;
};

// "100mb" as the Memory column shows it: as given while it fits in 6 columns, else in the next greater units, rounded
// up.
std::string_view memory_text(std::string_view size, size_unit unit, std::array<char, 32>& buffer);

}  // namespace annals::client
