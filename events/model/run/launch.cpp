// Between the last host's joining and the program's start: execjob_prologue hooks run on every host (RS-123), and the program
// waits for them, $job_launch_delay at most (RS-55). docs/design/0020-jobs-across-hosts.md.
#include <algorithm>

#include "events/model/run/rules.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::model {

using phase = run_phase;
namespace pbs_error = values::pbs_error;

namespace {

// Its prologue hooks are waited for.
bool is_awaited(const sister_state& s) { return s.phase == sister_phase::joined && !s.ready && !s.dropped(); }
bool is_launching(const run_state& run) { return run.phase == phase::received && run.launch_since_ns != 0; }

}  // namespace

bool joins_are_over(const run_state& run) {
  return run.phase == phase::received && !run.sisters.empty() &&
         std::ranges::none_of(run.sisters, [](const sister_state& s) { return s.phase == sister_phase::asked; });
}

// Where no hook runs, or nobody else has joined, there is nobody to wait for.
outcome on_joins_over(const run_state& run, const joins_over& c) {
  if (!joins_are_over(run) || is_launching(run)) return no_change;
  if (!c.prologues || std::ranges::none_of(run.sisters, is_awaited)) return std::vector<event>{starting_event()};
  return one([](auto e) { e.initRun().setPrologueAsked(); });
}

void start_if_all_ready(const run_state& run, const std::function<bool(const sister_state&)>& is_out, std::vector<event>& out) {
  const auto awaited = [&](const sister_state& s) { return is_awaited(s) && !is_out(s); };
  if (is_launching(run) && std::ranges::none_of(run.sisters, awaited)) out.push_back(starting_event());
}

// One that failed meanwhile stays failed, whatever its hooks say.
outcome on_prologue_over(const run_state& run, const prologue_over& c) {
  const auto* s = run.sister(c.host);
  if (!is_launching(run) || !s || !is_awaited(*s)) return no_change;
  if (c.code == 0) {
    std::vector<event> out{make_event([&](auto e) { e.initRun().initSisterReady().setHost(c.host); })};
    start_if_all_ready(
        run, [&](const sister_state& other) { return other.host == c.host; }, out);
    return out;
  }
  if (bears(run, c.code)) return bear(run, *s, c.code, c.text, start_step::EXEC_PROLOGUE);
  return std::vector<event>{failed_event(c.host, c.code, c.text, start_step::EXEC_PROLOGUE),
                            refused_for(c.host, c.code, c.text, start_step::EXEC_PROLOGUE)};
}

outcome on_launch_wait_over(const run_state& run) {
  if (!is_launching(run)) return no_change;
  std::vector<event> out{make_event([](auto e) { e.initRun().setLaunchWaitEnded(); })};
  const auto first = std::ranges::find_if(run.sisters, is_awaited);
  for (const auto& s : run.sisters)
    if (is_awaited(s))
      out.push_back(
          failed_event(s.host, pbs_error::sister_unreachable, "execjob_prologue hooks did not end in time", start_step::EXEC_PROLOGUE));
  if (run.bears_failures() || first == run.sisters.end()) out.push_back(starting_event());
  else out.push_back(refused_for(first->host, pbs_error::sister_unreachable, {}, start_step::EXEC_PROLOGUE));
  return out;
}

void owe_to_launch(const run_state& run, std::vector<run_effect>& owed) {
  if (!joins_are_over(run)) return;
  if (!is_launching(run)) return owed.push_back(begin_launch{});
  owed.push_back(run_prologue{});
  for (const auto& s : run.sisters)
    if (is_awaited(s)) owed.push_back(ask_prologue{s.host});
}

}  // namespace annals::model
