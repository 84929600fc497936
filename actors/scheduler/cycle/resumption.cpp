#include "actors/scheduler/cycle/resumption.hpp"

#include <algorithm>

#include "actors/scheduler/cycle/placement.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::cycle {

namespace {

bool take_part(view& v, const job& j, const values::vnode_part& part, claim& c) {
  const index at = v.find_vnode(part.vnode);
  if (at == none) return false;
  const vnode& node = v.vnodes()[at];
  const bool holds = std::any_of(node.jobs.begin(), node.jobs.end(), [&](const job_on_vnode& on) { return on.job == j.serial; });
  const bool alone = holds_alone(node, v.request_of(j).share);
  const bool usable = v.reservation_of(j) ? v.usable_within(node) : v.usable(node);
  if (!holds && (!usable || (alone && !node.jobs.empty()))) return false;
  for (const auto& value : part.resources) {
    const auto r = v.resources().find(value.name);
    if (r == no_resource || !v.resources()[r].consumable) continue;
    const auto wanted = v.resources().read(r, value.value, rounding::up);
    if (!wanted || *wanted > v.free_amount(node, r)) return false;
    v.take(at, r, *wanted);
    c.amounts.push_back({at, r, *wanted});
  }
  if (!holds && std::none_of(c.vnodes.begin(), c.vnodes.end(), [&](const auto& taken) { return taken.vnode == at; }))
    c.vnodes.push_back({at, alone});
  return true;
}

}  // namespace

std::optional<claim> take_again(view& v, const job& j) {
  claim c;
  const auto spec = values::parse_exec_vnode(j.exec_vnode).value_or(values::exec_vnode_spec{});
  for (const auto& chunk : spec.chunks)
    for (const auto& part : chunk.parts)
      if (!take_part(v, j, part, c)) {
        for (const auto& t : c.amounts) v.give_back(t.vnode, t.resource, t.value);
        return std::nullopt;
      }
  return c;
}

}  // namespace annals::cycle
