#include "actors/scheduler/cycle/resumption.hpp"

#include <algorithm>

#include "events/values/exec_vnode.hpp"

namespace annals::cycle {

namespace {

bool take_part(view& v, const job& j, const values::vnode_part& part, claim& c) {
  const index at = v.vnodes().find(part.vnode);
  if (at == none) return false;
  const vnode& node = v.vnodes()[at];
  const bool holds = std::any_of(node.jobs.begin(), node.jobs.end(), [&](const job_on_vnode& on) { return on.job == j.serial; });
  const bool alone = holds_alone(node, v.jobs().request_of(j).share);
  const bool usable = v.reservations().of(j) ? v.vnodes().usable_within(node) : v.vnodes().usable(node);
  if (!holds && (!usable || (alone && !node.jobs.empty()))) return false;
  for (const auto& value : part.resources) {
    const auto r = v.resources().find(value.name);
    if (r == no_resource || !v.resources()[r].consumable) continue;
    const auto wanted = v.resources().read(r, value.value, rounding::up);
    if (!wanted || *wanted > v.vnodes().free_amount(node, r)) return false;
    v.vnodes().take(at, r, *wanted);
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
        give_back(v, c);
        return std::nullopt;
      }
  return c;
}

void give_back(view& v, const claim& taken) {
  for (const auto& t : taken.amounts) v.vnodes().give_back(t.vnode, t.resource, t.value);
}

// It says what its exec_vnode says, whatever the job asks for by now. Of a vnode that is gone nothing is said: nothing was taken then.
allocation kept_place(const view& v, const job& j) {
  allocation out;
  const auto spec = values::parse_exec_vnode(j.exec_vnode).value_or(values::exec_vnode_spec{});
  for (const auto& chunk : spec.chunks) {
    allocation::placed_chunk placed{static_cast<std::uint32_t>(out.parts.size()), 0};
    for (const auto& part : chunk.parts) {
      const auto first = static_cast<std::uint32_t>(out.pieces.size());
      for (const auto& value : part.resources) {
        const auto r = v.resources().find(value.name);
        const auto asked = r == no_resource ? std::nullopt : v.resources().read(r, value.value, rounding::up);
        if (asked) out.pieces.push_back({r, *asked});
      }
      out.parts.push_back({v.vnodes().find(part.vnode), first, static_cast<std::uint32_t>(out.pieces.size())});
    }
    placed.end_part = static_cast<std::uint32_t>(out.parts.size());
    out.chunks.push_back(placed);
  }
  return out;
}

}  // namespace annals::cycle
