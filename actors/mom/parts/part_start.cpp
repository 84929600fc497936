#include "actors/mom/parts/part_start.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "actors/mom/hooks/hook_objects.hpp"
#include "actors/mom/host/start_order.hpp"
#include "actors/mom/tasks/attached.hpp"
#include "events/model/run/order_now.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

namespace {

std::string task_number(std::uint32_t task) {
  char text[16];
  std::snprintf(text, sizeof text, "%08X", task);
  return text;
}

}  // namespace

bool part_start::hooks_allow(hook_point point) {
  if (hooks_.has_passed(point)) return true;
  if (!hooks_.wanted(point)) return hooks_.open(point), true;
  if (!hooks_.ask_once(point)) return false;
  hooks_.ask(hooks_.at(point), [this, point](hook_point_passed& p) {
    if (p.stops_start()) return p.used.clear(), refused(point, p);
    if (!p.runs.empty()) return part_.command(model::part_hooks_done{std::move(p.runs), hooks_.to_keep(std::exchange(p.used, {}))});
    hooks_.pass(point);
  });
  return false;
}

void part_start::refused(hook_point point, const hook_point_passed& p) {
  const auto code = p.deletes ? pbs_error::hook_rejected_delete : p.refused ? p.error
                                                                            : pbs_error::hook_rejected_rerun;
  refusal why{static_cast<std::int32_t>(code), p.words()};
  if (point == hook_point::begin) return part_.command(model::set_up_done{why.code, why.text});
  hooks_.shut(point);  // the next task asks again
  prologue_refusal_ = std::move(why);
  for (const auto& [number, task] : state().tasks)
    if (task.phase == model::task_phase::starting) part_.command(model::task_failed{number, p.why()});
  part_.reconcile();
}

begun part_start::say_prologue_over() {
  if (!prologue_refusal_ && !hooks_allow(hook_point::prologue)) return begun::not_yet;
  part_.tell_primary([&](auto m) {
    auto over = m.initPrologueOver();
    part_.fill_ref(over.initRef());
    if (!prologue_refusal_) return;
    over.setCode(prologue_refusal_->code);
    over.setText(prologue_refusal_->text);
  });
  return begun::yes;
}

begun part_start::start(std::uint32_t number) {
  if (!part_.local() && !hooks_allow(hook_point::prologue)) return begun::not_yet;
  const auto& task = state().tasks.at(number);
  mom::task_words words{state().task_key(number), number, task.node, task.argv, task.environment};
  if (const auto session = attached_of(task.argv, task.environment)) {
    if (is_attached(*session, number)) return part_.command(model::task_failed{number, {-2, std::string(session_is_attached)}}), begun::yes;
    words.attached = *session;
    part_.note(log_event::job, "task " + task_number(number) + " attached, session " + std::to_string(session->session));
  } else {
    part_.note(log_event::job, "task " + task_number(number) + " started, " + (task.argv.empty() ? std::string() : task.argv.front()));
  }
  const auto by_hooks = order_changes(state().hooks.runs);
  const auto changed = by_hooks.empty() ? schema::sealed<schema::StartRun>() : model::order_with(state().order(), by_hooks);
  auto order = mom::task_order_for(changed ? changed.get() : state().order(), *state().allocated, *part_.parts.settings, words);
  order.share = mom::share_here(*state().confined, *part_.parts.settings);
  start_after_hooks(number, std::move(order));
  return begun::yes;
}

// By another task: what it uses would be counted twice.
bool part_start::is_attached(const ports::attached_session& session, std::uint32_t but) const {
  return std::any_of(state().active.begin(), state().active.end(), [&](std::uint32_t number) {
    const auto& task = state().tasks.at(number);
    const auto other = attached_of(task.argv, task.environment);
    return number != but && other && other->session == session.session;
  });
}

void part_start::start_after_hooks(std::uint32_t number, ports::run_order order) {
  const auto point = order.attached.pid != 0 ? hook_point::attach : hook_point::launch;
  // Hooks are not asked again for what an earlier life of the MoM has ordered: a refusal would come too late.
  if (!hooks_.wanted(point) || part_.parts.processes->has_order(order.key)) return part_.parts.processes->start(order);
  auto a = hooks_.at(point);
  a.pid = order.attached.pid;
  a.program = std::move(order);
  hooks_.ask(std::move(a), [this, number](hook_point_passed& p) {
    if (p.stops_start()) return part_.command(model::task_failed{number, p.why()});
    if (state().phase == model::part_phase::ready) return part_.parts.processes->start(p.program);
    part_.parts.processes->adopt(state().task_key(number));  // the job leaves: told as not started, and never will be
  });
}

}  // namespace annals::actors
