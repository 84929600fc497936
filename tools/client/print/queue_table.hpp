// The tables of queues and servers: qstat -Q, -q and -B (pbs guide: qstat). Pure: from objects to text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/client/print/job_table.hpp"
#include "tools/client/print/object.hpp"

namespace annals::client {

// "Transit:0 Queued:2 Held:2 Waiting:1 Running:4 Exiting:0 Begun:0 " as numbers; what is missing is 0.
struct state_counts {
  std::int64_t transit = 0, queued = 0, held = 0, waiting = 0, running = 0, exiting = 0, begun = 0;
};
state_counts read_state_counts(std::string_view text);

struct queue_table {  // qstat -Q
  static std::span<const attributes::attribute_id> wanted();
  static void heading(std::string& out);
  static void row(std::string& out, const object_view& queue);
};

struct server_table {  // qstat -B
  static std::span<const attributes::attribute_id> wanted();
  static void heading(std::string& out);
  static void row(std::string& out, const object_view& server);
};

class queue_list {  // qstat -q: limits and counts with their sum
 public:
  explicit queue_list(size_unit unit) : unit_(unit) {}
  static std::span<const attributes::attribute_id> wanted();
  static void heading(std::string& out, std::string_view server);
  void row(std::string& out, const object_view& queue);
  void sum(std::string& out) const;

 private:
  size_unit unit_;
  std::int64_t running_ = 0, queued_ = 0;
};

}  // namespace annals::client
