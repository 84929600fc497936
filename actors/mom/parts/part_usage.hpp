// The usage of a part: measured over its tasks, told to the primary now and then and when it asks, and to the server as a sign of life.
// docs/design/0035-usage-per-host.md.
#pragma once

#include <cstdint>

#include "actors/mom/hooks/job_hooks.hpp"
#include "actors/mom/parts/part_context.hpp"
#include "events/model/usage.hpp"

namespace annals::actors {

class part_usage {
 public:
  part_usage(const part_context& part, const job_hooks& hooks) : part_(part), hooks_(hooks) {}

  /// Measures: tasks that have ended, those that run, and what hooks have set.
  model::host_usage now();
  /// Once a second; report_interval_s: how often the primary wants to hear at most, if its order does not say so.
  void poll(std::uint32_t report_interval_s);
  /// question: of the primary; 0: it has not asked.
  void tell_primary(const model::host_usage& now, std::uint64_t question);
  /// A new life of the primary knows nothing of what was used here.
  void tell_anew();
  /// The server has a run discarded that a MoM speaks of and that it has given up: a primary that was cut off may not know that
  /// yet, and a hostile one may not say it.
  void tell_server();

 private:
  const model::part_state& state() const { return part_.state; }

  const part_context& part_;
  const job_hooks& hooks_;
  unsigned polls_ = 0;
  ports::run_usage highest_;  // of memory: the sum over the tasks alive together, in any sample
  model::usage_set told_;
  std::int64_t told_ns_ = 0;
};

}  // namespace annals::actors
