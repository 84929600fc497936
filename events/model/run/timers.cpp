// What a run waits for and how long. Each time begins with an event of the run's stream, so that a restart of the MoM neither
// shortens nor lengthens it; when it is over the timer fires as a command. docs/design/0031-effect-runner.md.
#include <optional>

#include "events/model/limits.hpp"
#include "events/model/run/rules.hpp"
#include "events/model/waits.hpp"

namespace annals::model {

using phase = run_phase;

namespace {

bool is_missed(const run_state& run, const sister_state& s) {
  const bool leaves = run.over() || s.dropped();
  const bool waited_for = leaves ? s.phase != sister_phase::left : s.phase == sister_phase::asked || s.phase == sister_phase::joined;
  return waited_for && (run.phase == phase::received || run.active() || run.over());
}

// It has not joined a job that bears failures: $sister_join_job_alarm says how long it may take, silent or not (RS-45).
bool has_until_alarm(const run_state& run, const sister_state& s) {
  return run.phase == phase::received && s.phase == sister_phase::asked && run.bears_failures();
}

// Its failure is borne as long as the program runs.
bool may_come_back(const run_state& run, const sister_state& s) {
  return run.phase == phase::started && run.bears_failures() && !s.own() && !s.dropped();
}

// Since when the timer runs; nothing: it does not.
std::optional<std::int64_t> running_since(const run_state& run, run_timer what, const sister_state* s) {
  switch (what) {
    case run_timer::join_alarm:
      if (run.phase != phase::received || run.sisters.empty() || run.ticket_lapsed || joins_are_over(run)) return std::nullopt;
      return run.join_since_ns;
    case run_timer::launch_delay:
      if (run.phase != phase::received || run.launch_since_ns == 0) return std::nullopt;
      return run.launch_since_ns;
    case run_timer::sister_silence:
      if (!s || s->away_since_ns == 0 || !is_missed(run, *s) || has_until_alarm(run, *s)) return std::nullopt;
      if (may_come_back(run, *s)) return std::nullopt;
      return s->away_since_ns;
    case run_timer::task_silence:
      if (!s || s->away_since_ns == 0 || s->silent || !is_missed(run, *s) || !may_come_back(run, *s)) return std::nullopt;
      return s->away_since_ns;
    case run_timer::leave_wait:
      if (!s || s->away_since_ns != 0 || s->own() || !is_missed(run, *s)) return std::nullopt;
      if (s->dropped()) return s->dropped_since_ns;
      if (!run.over()) return std::nullopt;
      return run.over_since_ns;
    case run_timer::term_delay:
      if (run.phase != phase::started || run.discarded || run.kill_sent_ns == 0 || run.kill_signal != "SIGTERM") return std::nullopt;
      if (run.resend_term_s == 0 || run.term_delay_over) return std::nullopt;
      return run.kill_sent_ns;
    case run_timer::kill_delay:
      if (run.phase != phase::started || run.discarded || run.kill_sent_ns == 0 || run.kill_delay_s == 0 || run.kill_delay_over)
        return std::nullopt;
      return run.kill_sent_ns;
  }
  return std::nullopt;
}

std::int64_t seconds_of(const run_state& run, run_timer what, const sister_state* s, const run_waits& waits) {
  switch (what) {
    case run_timer::join_alarm: return waits.join_alarm_s;
    case run_timer::launch_delay: return waits.launch_delay_s;
    case run_timer::sister_silence:
      if (s && s->dropped()) return limits::sister_silence_s;
      // Hooks of execjob_launch are told of a failure that the job bears.
      return run.active() && !(run.phase == phase::starting && run.bears_failures()) ? waits.silence_s : limits::sister_silence_s;
    case run_timer::task_silence: return limits::sister_silence_s;
    case run_timer::leave_wait: return limits::leave_wait_s;
    case run_timer::term_delay: return run.resend_term_s;
    case run_timer::kill_delay: return run.kill_delay_s;
  }
  return 0;
}

}  // namespace

outcome on_kill_sent(const run_state& run, const kill_sent& c) {
  const bool of_this_request = c.id == run.kill_id && c.signal == run.kill_signal;
  if (run.phase != phase::started || !of_this_request || run.kill_sent_ns != 0) return no_change;
  return one([&](auto e) {
    auto k = e.initRun().initKillSent();
    k.setId(c.id);
    k.setSignal(c.signal);
  });
}

outcome on_timer(const run_state& run, const timer_fired& c, const stamp& now) {
  const auto& t = c.timer;
  const auto since = running_since(run, t.what, run.sister(t.host));
  if (!since || *since != t.since_ns || !is_over(t.since_ns, t.at_ns, now.wall_ns)) return no_change;  // it was stopped, or began anew
  switch (t.what) {
    case run_timer::join_alarm: return on_join_wait_over(run);
    case run_timer::launch_delay: return on_launch_wait_over(run);
    case run_timer::sister_silence:
    case run_timer::leave_wait: return on_sister_silent(run, c.last_known);
    case run_timer::task_silence: return give_up_tasks_of(run, t.host, t.since_ns);
    case run_timer::term_delay: return one([](auto e) { e.initRun().setTermDelayEnded(); });
    case run_timer::kill_delay: return one([](auto e) { e.initRun().setKillDelayEnded(); });
  }
  return no_change;
}

void owe_timers(const run_state& run, const run_waits& waits, std::vector<run_effect>& owed) {
  const auto owe = [&](run_timer what, const sister_state* s) {
    if (const auto since = running_since(run, what, s))
      owed.push_back(wake{what, s ? s->host : std::string(), *since, *since + seconds_of(run, what, s, waits) * 1'000'000'000});
  };
  owe(run_timer::join_alarm, nullptr);
  owe(run_timer::launch_delay, nullptr);
  owe(run_timer::term_delay, nullptr);
  owe(run_timer::kill_delay, nullptr);
  for (const auto& s : run.sisters) {
    owe(run_timer::sister_silence, &s);
    owe(run_timer::task_silence, &s);
    owe(run_timer::leave_wait, &s);
  }
}

}  // namespace annals::model
