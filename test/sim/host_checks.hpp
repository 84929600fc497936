// What must hold between the server's log and the hosts of a simulated world, when jobs span hosts and anybody may fail.
#pragma once

#include <map>
#include <set>
#include <string>

#include "events/log/record.hpp"
#include "events/values/program_key.hpp"

namespace annals::sim {

// Which runs the server believes to be gone from which host: a fold of its log.
//
// The rule: while a process of a run lives on a host that is up in the log, that run's vnodes of the host are not given to
// others. By force of an operator they are, at once (pbs guide: qdel -W force, qrerun -W force): such runs are not counted. A
// primary that is cut off from the server may have a host join a run that was given up before: the host is told within seconds of
// hearing the server.
class freed_vnodes {
 public:
  void fold(const log::record& record);
  std::uint64_t sequence() const { return sequence_; }
  bool believes_gone(const std::string& host, const values::run_key& key) const { return gone_ns(host, key) != 0; }
  std::int64_t gone_ns(const std::string& host, const values::run_key& key) const;  // since when; 0: it does not

 private:
  struct job {
    std::string id;
    std::uint32_t run = 0;
  };
  std::uint64_t sequence_ = 0;
  std::map<std::uint64_t, std::string> hosts_;  // names by stream
  std::set<std::string> up_;
  std::map<std::uint64_t, job> jobs_;                                    // by stream
  std::map<std::string, std::map<values::run_key, std::int64_t>> gone_;  // by host
  std::set<values::run_key> forced_;
};

}  // namespace annals::sim
