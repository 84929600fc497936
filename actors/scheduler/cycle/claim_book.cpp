#include "actors/scheduler/cycle/claim_book.hpp"

#include <algorithm>
#include <utility>

#include "events/values/exec_vnode.hpp"

namespace annals::cycle {

void claim_book::count_pools(const job& j, int sign) {
  limits_.count(j, sign);
  queues_.count(jobs_.request_of(j), j.queue, sign);
}

void claim_book::began(index job_at) {
  count_pools(jobs_[job_at], +1);
  vnodes_.count_slots(jobs_[job_at].slots, +1);
}

void claim_book::ended(index job_at) {
  const job& j = jobs_[job_at];
  if (j.where == job_place::proposed) drop_claim(job_at);
  if (j.where == job_place::running) {
    count_pools(j, -1);
    vnodes_.count_slots(j.slots, -1);
  }
}

void claim_book::take_again(index vnode_at) {
  for (const auto& [job_at, c] : claims_) {  // what the server has not heard of yet
    for (const auto& t : c.amounts)
      if (t.vnode == vnode_at) vnodes_.take(vnode_at, t.resource, t.value);
    for (const auto& t : c.vnodes)
      if (t.vnode == vnode_at) vnodes_.take_vnode(vnode_at, jobs_[job_at].serial, t.exclusive);
  }
}

void claim_book::claim_for(index job_at, claim c) {
  job& j = jobs_.edit(job_at);
  j.before_proposal = std::exchange(j.where, job_place::proposed);
  for (const auto& v : c.vnodes) vnodes_.take_vnode(v.vnode, j.serial, v.exclusive);
  vnodes_.count_slots(c.slots, +1);
  count_pools(j, +1);
  claims_.emplace(job_at, std::move(c));
}

void claim_book::drop_claim(index job_at) {
  const auto at = claims_.find(job_at);
  const job& j = jobs_[job_at];
  for (const auto& t : at->second.amounts) vnodes_.give_back(t.vnode, t.resource, t.value);
  for (const auto& t : at->second.vnodes) vnodes_.leave_vnode(t.vnode, j.serial);
  vnodes_.count_slots(at->second.slots, -1);
  count_pools(j, -1);
  claims_.erase(at);
}

claim claim_book::claim_of(std::string_view exec_vnode, const request& r) const {
  claim c;
  const auto spec = values::parse_exec_vnode(exec_vnode).value_or(values::exec_vnode_spec{});
  for (const auto& chunk : spec.chunks)
    for (const auto& part : chunk.parts) {
      const index at = vnodes_.find(part.vnode);
      if (at == none) continue;
      const vnode& node = vnodes_[at];
      if (std::none_of(c.vnodes.begin(), c.vnodes.end(), [&](const auto& taken) { return taken.vnode == at; }))
        c.vnodes.push_back({at, holds_alone(node, r.share)});
      for (const auto& v : part.resources) {
        const auto id = resources_.find(v.name);
        if (id == no_resource || !resources_[id].consumable) continue;
        if (const auto value = resources_.read(id, v.value, rounding::up)) c.amounts.push_back({at, id, *value});
      }
    }
  return c;
}

const claim& claim_book::held_by(index job_at) {
  job& j = jobs_.edit(job_at);
  if (j.where == job_place::proposed) return claims_.at(job_at);
  if (j.held) return *j.held;
  j.held = claim_of(j.exec_vnode, jobs_.request_of(j));
  // A suspended job may have kept its vnodes, and one that was reduced may hold more than it shows: the vnodes have the last word.
  for (auto& t : j.held->vnodes)
    for (const auto& on : vnodes_[t.vnode].jobs)
      if (on.job == j.serial) t.exclusive = on.exclusive;
  return *j.held;
}

void claim_book::lift(index job_at) { lift(job_at, false); }
void claim_book::put_back(index job_at) { put_back(job_at, false); }

void claim_book::lift(index job_at, bool partly) {
  jobs_.edit(job_at).lifted = true;
  const claim& held = held_by(job_at);
  for (const auto& t : held.amounts)
    if (!partly || settings_.is_released_on_suspend(resources_[t.resource].name)) vnodes_.give_back(t.vnode, t.resource, t.value);
  if (!partly)
    for (const auto& t : held.vnodes) vnodes_.leave_vnode(t.vnode, jobs_[job_at].serial);
  count_pools(jobs_[job_at], -1);
}

void claim_book::put_back(index job_at, bool partly) {
  jobs_.edit(job_at).lifted = false;
  const claim& held = held_by(job_at);
  for (const auto& t : held.amounts)
    if (!partly || settings_.is_released_on_suspend(resources_[t.resource].name)) vnodes_.take(t.vnode, t.resource, t.value);
  if (!partly)
    for (const auto& t : held.vnodes) vnodes_.take_vnode(t.vnode, jobs_[job_at].serial, t.exclusive);
  count_pools(jobs_[job_at], +1);
}

void claim_book::preempted(index job_at) {
  jobs_.edit(job_at).where = job_place::preempted;
  vnodes_.count_slots(jobs_[job_at].slots, -1);
}

}  // namespace annals::cycle
