// What proposals take from a view and give back, and the sums of queue and server.
#include <algorithm>
#include <utility>

#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

bool view::usable(const vnode& v) const {
  if (!v.exists || !v.free || v.exclusive_jobs > 0) return false;
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
  for (const want& w : requests_[j.request].parsed->job_wide) {
    if (!resources_[w.resource].summed) continue;
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
  for (const auto& t : at->second.vnodes) {
    auto& jobs = vnodes_[t.vnode].jobs;
    const auto entry = std::find_if(jobs.begin(), jobs.end(), [&](const job_on_vnode& on) { return on.job == j.serial; });
    if (entry == jobs.end()) continue;
    vnodes_[t.vnode].exclusive_jobs -= entry->exclusive;
    jobs.erase(entry);
  }
  count_slots(at->second.slots, -1);
  count_pools(j, -1);
  claims_.erase(at);
}

void view::withdraw(std::uint64_t serial) {
  const auto at = job_ids_.find(serial);
  if (at == job_ids_.end() || jobs_[at->second].where != job_place::proposed) return;
  drop_claim(at->second);
  jobs_[at->second].where = jobs_[at->second].before_proposal;
  forget_asked(at->second);
}

}  // namespace annals::cycle
