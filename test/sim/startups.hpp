// The start of one job on several hosts, some of which fail at a given event of it: between the moment at which its first host hears of
// it and its program. What must hold when the program starts. docs/design/0037-failures-that-a-job-bears.md.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "events/log/record.hpp"
#include "test/sim/job_words.hpp"

namespace annals::sim {

class world;
class mom_process;

struct startup {
  int hosts = 0;  // that the job asks for; 0: no such job
  int spares = 0;
  bool by_hook = false;  // a launch hook lets go of what is spare; else it is asked for with rjselect
  std::string tolerates = "none";
  std::uint64_t at_event = 0;  // of the run, in the log of its first host; 0: nobody fails
  std::int64_t delay_ns = 0;   // so long after it
  int victims = 1;
  bool silent = false;  // they stand still; else they lose their power
};

std::vector<asked_value> words_of(const startup& s);
std::string keep_select_of(const startup& s);

// What the first host knows, and whether its program may start.
class watched_start {
 public:
  explicit watched_start(startup s) : about_(std::move(s)) {}
  // True: the event at which hosts are to fail, for the first time.
  bool sees(const std::string& mom, const log::record& r);
  std::uint64_t seen_of(const std::string& mom) const;  // sequence
  const std::vector<std::string>& sisters() const { return sisters_; }
  void fails(const std::string& host, std::int64_t now_ns) { failed_ns_[host] = now_ns; }
  void comes_back(const std::string& host) { failed_ns_.erase(host); }
  // Empty, or what is wrong with a program that starts now on these hosts, the first host first.
  std::string fault_of(const std::vector<std::string>& hosts, std::int64_t now_ns) const;
  int failures() const { return failures_; }

 private:
  startup about_;
  std::map<std::string, std::uint64_t> seen_;
  std::uint64_t events_ = 0;
  std::vector<std::string> sisters_;
  std::set<std::string> known_;                    // to have failed, by the log of the first host in this run
  std::map<std::string, std::int64_t> failed_ns_;  // and are not back
  int failures_ = 0;
};

}  // namespace annals::sim
