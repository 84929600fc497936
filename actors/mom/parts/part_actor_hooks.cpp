// Where another host's part of a run waits for hooks of that host: execjob_begin before it joins, execjob_prologue when
// all have joined, execjob_launch before each (execjob_attach where there is no program to start), execjob_epilogue and _end (or
// _abort) before it leaves. docs/design/0023-hooks.md.
#include <csignal>
#include <utility>

#include "actors/mom/hooks/hook_usage.hpp"
#include "actors/mom/host/start_order.hpp"
#include "actors/mom/parts/part_actor.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

at_hook_point part_actor::at(hook_point point) {
  at_hook_point a;
  a.who = caf::actor(this);
  a.point = point;
  a.job.joined = state().told();
  a.job.allocated = *state().allocated;
  a.job.before = state().hooks.runs;
  a.job.used = state().hook_usage;
  a.job.primary = local();
  return a;
}

bool part_actor::hooks_allow(hook_point point) {
  const std::string event = point == hook_point::begin ? "execjob_begin" : "execjob_prologue";
  if (state().hooks.has(event) || hooks_.is_open(point)) return true;
  if (!hooks_.wanted(point)) return hooks_.open(point), true;
  if (!hooks_.ask_once(point)) return false;
  hooks_.ask(at(point), [this, point](hook_point_passed& p) {
    if (p.stops_start()) return p.used.clear(), refused(point, p);
    if (!p.runs.empty()) return command(model::part_hooks_done{std::move(p.runs), to_keep(std::exchange(p.used, {}))});
    hooks_.open(point);
    reconcile();
  });
  return false;
}

void part_actor::refused(hook_point point, const hook_point_passed& p) {
  const auto code = p.deletes ? pbs_error::hook_rejected_delete : p.refused ? p.error
                                                                            : pbs_error::hook_rejected_rerun;
  refusal why{static_cast<std::int32_t>(code), p.words()};
  if (point == hook_point::begin) return command(model::set_up_done{why.code, why.text});
  hooks_.shut(point);  // the next task asks again
  prologue_refusal_ = std::move(why);
  for (const auto& [number, task] : state().tasks)
    if (task.phase == model::task_phase::starting) command(model::task_failed{number, p.why()});
  reconcile();
}

begun part_actor::say_prologue_over() {
  if (!prologue_refusal_ && !hooks_allow(hook_point::prologue)) return begun::not_yet;
  tell_primary([&](auto m) {
    auto over = m.initPrologueOver();
    fill_ref(over.initRef());
    if (!prologue_refusal_) return;
    over.setCode(prologue_refusal_->code);
    over.setText(prologue_refusal_->text);
  });
  return begun::yes;
}

void part_actor::start_after_hooks(std::uint32_t number, ports::run_order order) {
  const auto point = order.attached.pid != 0 ? hook_point::attach : hook_point::launch;
  // Hooks are not asked again for what an earlier life of the MoM has ordered: a refusal would come too late.
  if (!hooks_.wanted(point) || parts_.processes->has_order(order.key)) return parts_.processes->start(order);
  auto a = at(point);
  a.pid = order.attached.pid;
  a.program = std::move(order);
  hooks_.ask(std::move(a), [this, number](hook_point_passed& p) {
    if (p.stops_start()) return command(model::task_failed{number, p.why()});
    if (state().phase == model::part_phase::ready) return parts_.processes->start(p.program);
    parts_.processes->adopt(state().task_key(number));  // the job leaves: told as not started, and never will be
  });
}

// RD-25: what confines the job's processes on this host becomes smaller only if a hook wants it. Hooks hear of one after the other: two
// that run at a time could look at what is left in the wrong order.
void part_actor::resize(std::uint32_t number) {
  if (!hooks_.wanted(hook_point::resized)) return command(model::part_resized{number, false});
  if (std::exchange(resize_asked_, true)) return;
  hooks_.ask(at(hook_point::resized), [this, number](hook_point_passed& p) {
    resize_asked_ = false;
    if (state().phase != model::part_phase::ready) return;
    if (number != state().to_resize) return resize(state().to_resize);  // there was another one meanwhile
    const auto share = mom::share_here(*state().allocated, *parts_.settings);
    if (!p.refused && share) parts_.processes->confine(key_, *share);
    command(model::part_resized{number, !p.refused});
  });
}

// Beside the program the run's own half has asked them.
void part_actor::kill_if_allowed(int signal) {
  if (local() || state().active.empty() || !hooks_.wanted(hook_point::preterm)) return signal_tasks(signal);
  hooks_.ask(at(hook_point::preterm), [this, signal](hook_point_passed& p) {
    if (!p.refused) signal_tasks(signal);
  });
}

// The primary repeats it after each new connection: hooks hear of what is new, and beside the program have heard it already.
void part_actor::suspend_or_resume(bool suspend) {
  const bool news = suspended_ != suspend;
  suspended_ = suspend;
  if (suspend) signal_tasks(SIGSTOP);
  const auto point = suspend ? hook_point::suspended : hook_point::resuming;
  const auto go_on = [this, suspend](hook_point_passed& p) {
    if (!suspend && !p.refused && suspended_ == false) signal_tasks(SIGCONT);
  };
  hook_point_passed nobody_minds;
  if (local() || !news || !hooks_.wanted(point)) return go_on(nobody_minds);
  hooks_.ask(at(point), go_on);
}

// Whether the host may clean up; else it does when they are over. A job that was refused here has begun nothing.
bool part_actor::closing_hooks_are_over() {
  const auto point = state().aborted() ? hook_point::aborted : hook_point::ended;
  if (local() || !state().refusal.empty() || state().closing_hooks_used || hooks_.is_open(point)) return true;
  if (hooks_.is_asked(point)) return false;
  if (!hooks_.wanted(point)) return true;
  hooks_.ask_once(point);
  auto a = at(point);
  a.usage = usage_now().usage;
  hooks_.ask(std::move(a), [this, point](hook_point_passed& p) {
    command(model::part_hooks_used{to_keep(std::exchange(p.used, {})), true}, tell_when_settled(caf::actor(this), point));
  });
  return false;
}

std::vector<model::usage_change> part_actor::to_keep(std::vector<model::usage_change> set_by_hooks) const {
  return usage_to_keep(parts_, state().job, state().hook_usage, std::move(set_by_hooks));
}

void part_actor::keep(std::vector<model::usage_change> set_by_hooks) {
  if (local()) {
    if (!set_by_hooks.empty()) send(mom_, hook_usage_of_run{key_, {std::move(set_by_hooks)}});
    return;
  }
  if (auto changes = to_keep(std::move(set_by_hooks)); !changes.empty()) command(model::part_hooks_used{std::move(changes)});
}

void part_actor::tell_periodic_hooks() {
  if (!local() && hooks_.wanted_by_the_clock())
    send(mom_, job_at_work{caf::actor(this), key_, at(hook_point::begin).job, usage_now().usage});
}

}  // namespace annals::actors
