// What the time of a cycle allows: which queues' jobs may run now, and how long a job may run that begins now (pbs guide: primetime
// and holidays, dedicated time).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "actors/scheduler/cycle/policy.hpp"
#include "actors/scheduler/cycle/refusal.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

class time_rules {
 public:
  time_rules(const policy& p, moment now);

  const timed_settings& settings() const { return settings_; }  // of now
  std::string status_line() const;                              // "It is primetime.  It will never end"
  // False: no job of a queue of this name may run now, and `why` says why.
  bool queue_may_run(std::string_view queue, refusal& why) const;
  // False: it would run into a time in which it may not; a job without a walltime runs for five years, a shrink-to-fit job as short as it
  // may.
  bool may_begin(const job& j, std::string_view queue, refusal& why) const;
  // When a job that runs for so long may begin, from now on, as far as it is looked ahead: rising.
  static std::vector<time_span> possible_starts(const policy& p, moment now, std::int64_t seconds, std::string_view queue);
  // How long a job that may begin runs at most.
  std::int64_t longest(const job& j, std::string_view queue) const;

 private:
  bool is_dedicated(std::string_view queue) const { return begins(queue, policy_.dedicated_prefix); }
  static bool begins(std::string_view queue, std::string_view prefix) { return !prefix.empty() && queue.starts_with(prefix); }
  // When a job of the queue must have ended because of them. Nothing: they don't limit it.
  std::optional<moment> dedicated_boundary(std::string_view queue) const;
  std::optional<moment> prime_boundary(std::string_view queue) const;
  std::optional<moment> next_change() const;  // until then all of this stays as it is; none: for ever

  const policy& policy_;
  moment now_;
  prime_status prime_;
  const timed_settings& settings_;
  const dedicated_time::period *dedicated_now_, *dedicated_next_;
};

}  // namespace annals::cycle
