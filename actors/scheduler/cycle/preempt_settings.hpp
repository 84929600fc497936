// What a scheduler object says of preemption (pbs guide: preempt_prio, preempt_queue_prio, preempt_order, preempt_targets_enable,
// sched_preempt_enforce_resumption). qmgr takes only texts that mean something (15014); of any other text the default holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace annals::cycle {

// What may be said of a job, as bits; none of them: a normal job.
enum preempt_condition : std::uint8_t {
  express_queue = 1,      // its queue has a Priority of preempt_queue_prio or more
  over_fairshare = 2,     // who it counts for has used more than its share
  over_server_limit = 4,  // it is beyond a soft limit of the server
  over_queue_limit = 8,   // or of its queue
};

struct preempt_settings {
  std::int64_t queue_prio = 150;
  bool targets_count = true;
  bool enforces_resumption = false;  // who was preempted goes on before others take its room
  std::vector<std::uint8_t> levels;  // sets of conditions, the highest first
  struct methods {
    std::int64_t percent = 100;  // of the walltime that is left, at most
    std::string letters;         // in the order in which they are tried: S C R D
  };
  std::vector<methods> order;  // from much time left to little

  preempt_settings();
  void set_levels(std::string_view text);  // "express_queue, normal_jobs, server_softlimits + fairshare"
  void set_order(std::string_view text);   // "SCR 80 SC 50 S"

  // A smaller number preempts a larger one. A job whose very set of conditions is no level has the highest of those it has all of.
  std::size_t level_of(std::uint8_t conditions) const;
  bool asks_for(preempt_condition c) const;  // some level does
  const std::string& methods_for(std::int64_t percent_left) const;
};

}  // namespace annals::cycle
