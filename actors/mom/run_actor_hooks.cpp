// Where a run waits for hooks of its host. Those before the program are written into the run's stream before it goes on, so
// that a restart does not run them again; the others may run again, as PBS's do. docs/design/0023-hooks.md.
#include <csignal>

#include "actors/mom/run_actor.hpp"

namespace annals::actors {

at_hook_point run_actor::at(hook_point point) {
  at_hook_point a;
  a.who = caf::actor(this);
  a.point = point;
  a.job.started = state().order;
  a.job.before = state().hooks.runs;
  return a;
}

bool run_actor::hooks_allow(hook_point point) {
  const std::string event = point == hook_point::begin ? "execjob_begin" : "execjob_prologue";
  if (state().hooks.has(event) || did_.contains("none of " + event)) return true;
  if (!hooks_.wanted(point)) return did_.insert("none of " + event), true;
  if (!once("hooks of " + event)) return false;
  hooks_.ask(at(point), [this, point, event](hook_point_passed& p) {
    if (point == hook_point::begin) begun_ns_ = parts_.shell.clock->now_ns();
    if (p.stops_start()) return command(model::hooks_done{std::move(p.runs), p.why()});
    if (!p.runs.empty()) return command(model::hooks_done{std::move(p.runs), {}});
    did_.insert("none of " + event);
    on_change();
  });
  return false;
}

void run_actor::start_after_hooks(ports::run_order program) {
  if (!state().hooks.has("execjob_launch") && !hooks_.wanted(hook_point::launch)) return parts_.processes->start(program);
  auto a = at(hook_point::launch);
  a.program = std::move(program);
  hooks_.ask(std::move(a), [this](hook_point_passed& p) {
    if (p.stops_start()) return command(model::hooks_done{std::move(p.runs), p.why()});
    if (p.runs.empty()) return parts_.processes->start(p.program);        // they ran in an earlier life
    launching_ = std::move(p.program);
    command(model::hooks_done{std::move(p.runs), {}});
  });
}

void run_actor::kill_if_allowed(const model::kill_program& wish) {
  if (!state().order || !hooks_.wanted(hook_point::preterm)) return do_kill(wish);
  hooks_.ask(at(hook_point::preterm), [this, wish](hook_point_passed& p) {
    if (!p.refused) do_kill(wish);
  });
}

void run_actor::suspend() {
  signal_everywhere(SIGSTOP, schema::SignalPart::What::SUSPEND);
  if (hooks_.wanted(hook_point::suspended)) hooks_.ask(at(hook_point::suspended), [](hook_point_passed&) {});
}

// A hook may keep it stopped: the server hears that from the hook's report, and suspends the job again.
void run_actor::resume(std::uint64_t wish) {
  const auto go_on = [this, wish](hook_point_passed& p) {
    if (!p.refused) signal_everywhere(SIGCONT, schema::SignalPart::What::RESUME);
    command(model::wish_carried_out{wish});
  };
  hook_point_passed nobody_minds;
  if (!hooks_.wanted(hook_point::resuming)) return go_on(nobody_minds);
  hooks_.ask(at(hook_point::resuming), go_on);
}

void run_actor::place_after_hooks() {
  if (!hooks_.wanted(hook_point::ended)) return place();
  auto a = at(hook_point::ended);
  a.exit_status = state().exit_status;
  a.usage = state().usage;
  hooks_.ask(std::move(a), [this](hook_point_passed&) { place(); });
}

// A start that failed is told when its hooks have run.
bool run_actor::abort_hooks_are_over() {
  if (!state().order || !hooks_.wanted(hook_point::aborted) || did_.contains("aborted")) return true;
  if (once("hooks of execjob_abort"))
    hooks_.ask(at(hook_point::aborted), [this](hook_point_passed&) {
      did_.insert("aborted");
      report();
    });
  return false;
}

void run_actor::tell_periodic_hooks(const ports::run_usage& usage) {
  if (hooks_.wanted_by_the_clock()) send(mom_, job_at_work{key_, at(hook_point::begin).job, usage});
}

}  // namespace annals::actors
