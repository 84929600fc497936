// What proposals take from a view and give back, and the sums of queue and server.
#include <algorithm>
#include <utility>

#include "actors/scheduler/cycle/placement.hpp"
#include "actors/scheduler/cycle/view.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::cycle {

bool view::usable(const vnode& v) const { return usable_in_state(v, supposing_ ? v.up : v.free); }

bool view::usable_in_state(const vnode& v, bool in_state) const {
  if (!v.exists || !in_state || v.exclusive_jobs > 0) return false;
  const amount cpus = v.available(ncpus_);
  return cpus <= 0 || v.in_use(ncpus_) < cpus;  // all in use: job-busy
}

amount view::free_of_shared(const vnode& v, resource_id r) const {
  const vnode* owner = &v;
  for (const auto& b : v.borrowed)
    if (b.resource == r) owner = &vnodes_[b.vnode];
  amount left = owner->available(r) - owner->in_use(r);
  for (const auto& l : owner->lent)
    if (l.resource == r) left -= vnodes_[l.vnode].in_use(r);
  return left;
}

void view::take(index vnode_at, resource_id r, amount value) {
  auto& used = vnodes_[vnode_at].used;
  if (r >= used.size()) used.resize(resources_.size());
  used[r] += value;
}

void view::take_vnode(index vnode_at, std::uint64_t job, bool exclusive) {
  vnodes_[vnode_at].jobs.push_back({job, exclusive});
  vnodes_[vnode_at].exclusive_jobs += exclusive;
}

void view::leave_vnode(index vnode_at, std::uint64_t job) {
  auto& jobs = vnodes_[vnode_at].jobs;
  const auto entry = std::find_if(jobs.begin(), jobs.end(), [&](const job_on_vnode& on) { return on.job == job; });
  if (entry == jobs.end()) return;
  vnodes_[vnode_at].exclusive_jobs -= entry->exclusive;
  jobs.erase(entry);
}

void view::count_slots(const std::vector<std::pair<index, std::uint32_t>>& slots, int sign) {
  // Slots are numbered by chunk: far beyond any job; a larger number is not ours and can't be the lowest free one.
  constexpr std::uint32_t slot_max = 1u << 22;
  for (const auto& [h, slot] : slots) {
    if (slot > slot_max) continue;
    auto& taken = hosts_[h].slots;
    if (slot >= taken.size()) taken.resize(slot + 1);
    taken[slot] = static_cast<std::uint16_t>(taken[slot] + sign);
  }
}

std::uint32_t view::lowest_free_slot(const host& h, std::uint32_t from) const {
  while (from < h.slots.size() && h.slots[from] > 0) ++from;
  return from;
}

void view::count_pools(const job& j, int sign) {
  count_limits(j, sign);
  for (const want& w : requests_[j.request].parsed->job_wide) {
    if (!resources_[w.resource].summed && !server_.is_dynamic(w.resource)) continue;
    for (named_amounts* pool : {&server_, &queues_[j.queue].pool}) {
      if (w.resource >= pool->used.size()) pool->used.resize(resources_.size());
      amount& used = pool->used[w.resource];
      if (__builtin_add_overflow(used, sign * w.value, &used)) used = 0;  // out of all reason; only unlimited pools get there
    }
  }
}

void view::claim_for(index job_at, claim c) {
  job& j = jobs_[job_at];
  j.before_proposal = std::exchange(j.where, job_place::proposed);
  for (const auto& v : c.vnodes) take_vnode(v.vnode, j.serial, v.exclusive);
  count_slots(c.slots, +1);
  count_pools(j, +1);
  claims_.emplace(job_at, std::move(c));
}

void view::drop_claim(index job_at) {
  const auto at = claims_.find(job_at);
  const job& j = jobs_[job_at];
  for (const auto& t : at->second.amounts) give_back(t.vnode, t.resource, t.value);
  for (const auto& t : at->second.vnodes) leave_vnode(t.vnode, j.serial);
  count_slots(at->second.slots, -1);
  count_pools(j, -1);
  claims_.erase(at);
}

claim view::claim_of(std::string_view exec_vnode, const request& r) const {
  claim c;
  const auto spec = values::parse_exec_vnode(exec_vnode).value_or(values::exec_vnode_spec{});
  for (const auto& chunk : spec.chunks)
    for (const auto& part : chunk.parts) {
      const index at = find_vnode(part.vnode);
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

const claim& view::held_by(index job_at) {
  job& j = jobs_[job_at];
  if (j.where == job_place::proposed) return claims_.at(job_at);
  if (j.held) return *j.held;
  j.held = claim_of(j.exec_vnode, request_of(j));
  // A suspended job may have kept its vnodes, and one that was reduced may hold more than it shows: the vnodes have the last word.
  for (auto& t : j.held->vnodes)
    for (const auto& on : vnodes_[t.vnode].jobs)
      if (on.job == j.serial) t.exclusive = on.exclusive;
  return *j.held;
}

void view::lift(index job_at) { lift(job_at, false); }
void view::put_back(index job_at) { put_back(job_at, false); }

bool view::is_released_on_suspend(resource_id r) const {
  return std::find(released_on_suspend_.begin(), released_on_suspend_.end(), resources_[r].name) != released_on_suspend_.end();
}

void view::lift(index job_at, bool partly) {
  jobs_[job_at].lifted = true;
  const claim& held = held_by(job_at);
  for (const auto& t : held.amounts)
    if (!partly || is_released_on_suspend(t.resource)) give_back(t.vnode, t.resource, t.value);
  if (!partly)
    for (const auto& t : held.vnodes) leave_vnode(t.vnode, jobs_[job_at].serial);
  count_pools(jobs_[job_at], -1);
}

void view::put_back(index job_at, bool partly) {
  jobs_[job_at].lifted = false;
  const claim& held = held_by(job_at);
  for (const auto& t : held.amounts)
    if (!partly || is_released_on_suspend(t.resource)) take(t.vnode, t.resource, t.value);
  if (!partly)
    for (const auto& t : held.vnodes) take_vnode(t.vnode, jobs_[job_at].serial, t.exclusive);
  count_pools(jobs_[job_at], +1);
}

void view::preempted(index job_at) {
  jobs_[job_at].where = job_place::preempted;
  count_slots(jobs_[job_at].slots, -1);
}

void view::set_estimate(index job_at, std::int64_t start, std::string exec_vnode, bool top) {
  job& j = jobs_[job_at];
  j.estimated = start;
  j.estimated_vnode = std::move(exec_vnode);
  j.shown_as_top = start != 0 && top;
}

void view::withdraw(std::uint64_t serial) {
  drop_subjobs(serial);
  const auto at = job_ids_.find(serial);
  if (at == job_ids_.end() || jobs_[at->second].where != job_place::proposed) return;
  drop_claim(at->second);
  jobs_[at->second].where = jobs_[at->second].before_proposal;
  jobs_[at->second].granted = 0;
  forget_asked(at->second);
}

}  // namespace annals::cycle
