#include "actors/mom/runs/run_timers.hpp"

#include <algorithm>

#include "events/model/limits.hpp"

namespace annals::actors {

namespace {

// Unless it is set, what execjob_begin hooks may take on a sister (RS-47).
std::int64_t join_alarm_s(const mom_parts& parts) {
  if (const auto set = parts.settings->config.sister_join_job_alarm_s) return set;
  const std::int64_t hooks_s = parts.hooks ? parts.hooks->begin_alarms_s.load() : 0;
  return hooks_s > 0 ? hooks_s : mom::sister_join_job_alarm_default_s;
}

// A job that does not bear failures waits a moment longer than hooks may take: one that is killed at its alarm is heard of after
// it, and a short $job_launch_delay is meant for jobs that go on without the host (RS-55, RS-57).
std::int64_t launch_delay_s(const mom_parts& parts, const model::run_state& run) {
  constexpr std::int64_t moment_s = 5;
  const std::int64_t alarms_s = parts.hooks ? parts.hooks->prologue_alarms_s.load() : 0;
  const std::int64_t hooks_s = alarms_s > 0 ? alarms_s : mom::job_launch_delay_default_s;
  if (!run.bears_failures()) return std::max<std::int64_t>(hooks_s, mom::job_launch_delay_default_s) + moment_s;
  const auto set = parts.settings->config.job_launch_delay_s;
  return set > 0 ? set : hooks_s;
}

}  // namespace

// While the program runs the MoM of a sister may be restarted in peace.
model::run_waits waits_here(const mom_parts& parts, const model::run_state& run) {
  return {join_alarm_s(parts), parts.settings->config.max_check_poll_s, launch_delay_s(parts, run)};
}

// A host that this life of the MoM had no time to reach or to ask is not given up yet, however long ago an earlier life asked or
// lost it.
std::int64_t run_timers::rings_at(const model::wake& timer) const {
  constexpr auto silence_ns = limits::sister_silence_s * 1'000'000'000;
  const auto wait_ns = timer.at_ns - timer.since_ns;
  const auto grace_ns = born_ns_ == 0 ? wait_ns : std::min(wait_ns, silence_ns);
  switch (timer.what) {
    case model::run_timer::join_alarm: return std::max(timer.at_ns, asking_since_ns_ + grace_ns);
    case model::run_timer::launch_delay: return born_ns_ == 0 ? timer.at_ns : std::max(timer.at_ns, born_ns_ + grace_ns);
    case model::run_timer::sister_silence:
    case model::run_timer::task_silence:
    case model::run_timer::leave_wait: return born_ns_ == 0 ? timer.at_ns : std::max(timer.at_ns, born_ns_ + silence_ns);
    case model::run_timer::term_delay:
    case model::run_timer::kill_delay: return timer.at_ns;
  }
  return timer.at_ns;
}

}  // namespace annals::actors
