#include "actors/mom/hooks/job_hooks.hpp"

#include <caf/send.hpp>

#include <utility>

#include "actors/mom/hooks/hook_usage.hpp"

namespace annals::actors {

hooked_job job_of(const model::run_state& run, const schema::sealed<schema::ToMom>& order) {
  hooked_job job;
  job.started = order;
  job.allocated = run.allocated;
  job.before = run.hooks.runs;
  job.used = run.hook_usage;
  for (const auto& s : run.sisters) {
    if (s.phase == model::sister_phase::failed) job.failed.push_back(s.host);
    if (s.phase == model::sister_phase::joined) job.succeeded.push_back(s.host);
  }
  job.session = run.session;
  job.jobdir = run.jobdir;
  return job;
}

hooked_job job_of(const model::part_state& part, bool on_primary) {
  hooked_job job;
  job.joined = part.told();
  job.allocated = *part.allocated;
  job.before = part.hooks.runs;
  job.used = part.hook_usage;
  job.primary = on_primary;
  return job;
}

caf::message_handler job_hooks::handlers() {
  return {
      [this](hook_point_passed& p) {
        on_passed(p);
        keep(std::move(p.used));
      },
      [this](hook_usage_set& u) { keep(std::move(u.changes)); },
      [this](const closing_usage_settled& s) {
        note_not_kept(of_.parts, of_.job, s);
        pass(s.point);
      },
  };
}

at_hook_point job_hooks::at(hook_point point) const {
  at_hook_point a;
  a.who = caf::actor(of_.self);
  a.point = point;
  a.job = of_.now();
  return a;
}

void job_hooks::ask(at_hook_point at, passed then) {
  at.question = ++last_;
  waiting_[at.question] = std::move(then);
  caf::anon_send(of_.mom, std::move(at));
}

void job_hooks::ask_if_wanted(hook_point point, passed then) {
  hook_point_passed nobody_minds;
  if (!wanted(point)) return then(nobody_minds);
  ask(at(point), std::move(then));
}

void job_hooks::on_passed(hook_point_passed& p) {
  if (auto waits = waiting_.extract(p.question)) waits.mapped()(p);
}

void job_hooks::pass(hook_point point) {
  open(point);
  of_.reconcile();
}

bool job_hooks::has_passed(hook_point point) const {
  const std::string event = point == hook_point::begin ? "execjob_begin" : "execjob_prologue";
  return of_.ran.has(event) || is_open(point);
}

bool job_hooks::closing_are_over(hook_point point, bool kept, const std::function<void(at_hook_point&)>& fill) {
  if (kept || is_open(point)) return true;
  if (is_asked(point)) return false;
  if (!wanted(point)) return true;
  ask_once(point);
  auto a = at(point);
  fill(a);
  ask(std::move(a), [this, point](hook_point_passed& p) {
    of_.write(to_keep(std::exchange(p.used, {})), true, tell_when_settled(caf::actor(of_.self), point));
  });
  return false;
}

std::vector<model::usage_change> job_hooks::to_keep(std::vector<model::usage_change> set_by_hooks) const {
  return usage_to_keep(of_.parts, of_.job, of_.used, std::move(set_by_hooks));
}

void job_hooks::keep(std::vector<model::usage_change> set_by_hooks) {
  if (of_.hand_over && of_.hand_over(set_by_hooks)) return;
  if (auto changes = to_keep(std::move(set_by_hooks)); !changes.empty()) of_.write(std::move(changes), false, nullptr);
}

void job_hooks::tell_periodic(const values::run_key& key, model::usage_set usage) const {
  caf::anon_send(of_.mom, job_at_work{caf::actor(of_.self), key, at(hook_point::begin).job, std::move(usage)});
}

}  // namespace annals::actors
