#include "actors/mom/runs/release_plan.hpp"

#include <algorithm>
#include <set>

#include "events/values/exec_vnode.hpp"

namespace annals::actors {

release_plan::release_plan(std::string event, hooks::hook_object job, model::release_from from,
                           hooks::line_taker note)
    : event_(std::move(event)), note_(std::move(note)), accepted_{std::move(job), std::move(from)} {
  accepted_.from.shown = hooks::shown_by(accepted_.job);
  asked_ = accepted_;
}

namespace {

// Several calls come to one change: each is told with all that is left.
void add(model::allocation_change more, std::optional<model::allocation_change>& sum) {
  if (!sum) {
    sum = std::move(more);
    return;
  }
  more.released = sum->released + '+' + more.released;
  for (auto& before : sum->changes) {
    const bool is_newer = std::ranges::any_of(
        more.changes, [&](const model::shown_value& v) { return v.name == before.name && v.resource == before.resource; });
    if (!is_newer) more.changes.push_back(std::move(before));
  }
  sum = std::move(more);
}

}  // namespace

// False: it can't be.
bool release_plan::release(hooks::protocol::ReleaseNodes::Reader asked, stage& at, std::optional<model::allocation_change>* to) {
  if (schema::text(asked.getJob()) != at.job.name) return false;
  auto planned = hooks::plan_release(asked, at.from, event_, to ? hooks::line_taker([](std::uint32_t, const std::string&) {}) : note_);
  if (!planned) return false;
  if (planned->change.released.empty()) return true;  // it has no more than that
  hooks::put(planned->change, at.job);
  at.from.has = std::move(planned->left);
  at.from.shown = hooks::shown_by(at.job);
  if (to) add(std::move(planned->change), *to);
  if (to) by_select_ &= asked.getKeepSelect().size() > 0;
  return true;
}

hooks::sealed_answer release_plan::answer(const hooks::sealed_question& question) {
  const std::lock_guard held(guard_);
  const auto q = question.get();
  const bool done = q.isReleaseNodes() && release(q.getReleaseNodes(), asked_, nullptr);
  return schema::make<hooks::protocol::Answer>([&](hooks::protocol::Answer::Builder to) {
    if (done) hooks::fill(asked_.job, to.initObject());
    else to.setNone();
  });
}

void release_plan::accept(hooks::protocol::Reply::Reader reply, hooks::hook_parameters& parameters) {
  const std::lock_guard held(guard_);
  bool has_released = false;
  for (auto action : reply.getActions())
    if (action.isReleaseNodes()) has_released |= release(action.getReleaseNodes(), accepted_, &change_);
  if (has_released && change_) show(parameters);
  if (const auto* job = hooks::object_of(parameters, "job")) accepted_.job = *job;
  asked_ = accepted_;
}

void release_plan::show(hooks::hook_parameters& parameters) const {
  std::set<std::string> kept;
  const auto left = values::parse_exec_vnode(accepted_.from.has.exec_vnode());
  for (const auto& chunk : left->chunks)
    for (const auto& part : chunk.parts) kept.insert(part.vnode);
  for (auto& p : parameters) {
    if (p.name == "job")
      hooks::put(*change_, std::get<hooks::hook_object>(p.value));
    if (p.name == "vnode_list" || p.name == "vnode_list_fail")
      std::erase_if(std::get<std::vector<hooks::hook_object>>(p.value),
                    [&](const hooks::hook_object& v) { return !kept.contains(v.name); });
  }
}

bool release_plan::is_by_select() const {
  const std::lock_guard held(guard_);
  return by_select_;
}

std::optional<model::allocation_change> release_plan::change() const {
  const std::lock_guard held(guard_);
  return change_;
}

}  // namespace annals::actors
