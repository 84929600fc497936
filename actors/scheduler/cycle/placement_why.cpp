// What a placement that found no place says of it as data.
#include <algorithm>

#include "actors/scheduler/cycle/placement.hpp"

namespace annals::cycle {
namespace {

bool borrows(const vnode& v, resource_id r) {
  return std::any_of(v.borrowed.begin(), v.borrowed.end(), [&](const shared_pool& p) { return p.resource == r; });
}

}  // namespace

void placement::name_vnodes(why_data& why, const std::vector<index>& from) const {
  why.kind = schema::Why::Kind::RESOURCES;
  const auto count = std::min(from.size(), why_vnodes_max);
  why.vnodes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) why.vnodes.push_back(vnodes_[from[i]].name);
}

why_data placement::lack_of_vnodes(const node_pool& pool, std::uint64_t needed) {
  why_data why;
  why.resource = "vnodes";
  why.asked = std::to_string(needed);
  why.free = std::to_string(pool.usable);
  why.total = std::to_string(pool.vnodes.size());
  name_vnodes(why, some_that_may_give(pool.vnodes, [&](index at) { return !usable_[at]; }));
  return why;
}

// Names the vnodes that have some of it, or, where none has, the first ones. A vnode may use the resource of another.
why_data placement::lack_of_amount(const want& w, amount free, amount total, const std::vector<index>& where) const {
  why_data why;
  why.kind = schema::Why::Kind::RESOURCES;
  for (const index at : where) {
    const vnode& v = vnodes_[at];
    if (v.available(w.resource) <= 0 && !borrows(v, w.resource)) continue;
    why.vnodes.push_back(v.name);
    if (why.vnodes.size() == why_vnodes_max) break;
  }
  if (why.vnodes.empty()) name_vnodes(why, where);
  why.resource = resources_[w.resource].name;
  why.asked = resources_.print(w.resource, w.value);
  why.free = resources_.print(w.resource, free);
  why.total = resources_.print(w.resource, total);
  return why;
}

why_data placement::lack_of_value(const want& w, std::string there, const std::vector<index>& where) const {
  const auto& table = resources_;
  why_data why;
  name_vnodes(why, where);
  why.resource = table[w.resource].name;
  why.asked = table[w.resource].is_boolean() ? table.print(w.resource, w.value) : w.text;
  why.total = std::move(there);
  return why;
}

// Vnodes that have what no other has, and can't be used: offline, down or taken whole. Empty: another has it too.
std::vector<index> placement::unusable_with(const node_pool& pool, const want& w) const {
  std::vector<index> some;
  for (const index at : pool.vnodes) {
    const vnode& v = vnodes_[at];
    const bool has = resources_[w.resource].numeric ? v.available(w.resource) >= w.value : matches(v, w);
    if (has && counts_as_free(at)) return {};
    if (has) some.push_back(at);
  }
  return some;
}

// A lack of vnodes that says what they are to have: "host=n4".
why_data placement::lack_of_usable(const want& w, const std::vector<index>& unusable) const {
  const auto& r = resources_[w.resource];
  why_data why;
  name_vnodes(why, unusable);
  why.resource = "vnodes";
  why.asked = r.name + "=" + (r.numeric || r.is_boolean() ? resources_.print(w.resource, w.value) : w.text);
  why.free = "0";
  why.total = std::to_string(unusable.size());
  return why;
}

bool placement::is_used_up(const want& w) const { return counted(w) && resources_[w.resource].consumable; }

amount placement::capacity_of(index at, resource_id r) const {
  if (const auto* share = share_of(at)) return share->has[r];
  const vnode& v = vnodes_[at];
  for (const auto& b : v.borrowed)  // on the owner's host the owner itself counts
    if (b.resource == r) return vnodes_[b.vnode].host == v.host ? 0 : vnodes_[b.vnode].available(r);
  return v.available(r);
}

// True: the vnode fits in all that is no amount to be used up.
bool placement::serves(index at, const std::vector<want>& wants) const {
  return matches(vnodes_[at], wants) && std::all_of(wants.begin(), wants.end(), [&](const want& w) {
           return !counted(w) || resources_[w.resource].consumable || vnodes_[at].available(w.resource) >= w.value;
         });
}

// True: some chunk could have at least a part of itself there, if nothing ran. A vnode may use the resource of another.
bool placement::may_give(index at) const {
  const auto gives = [&](const want& w) {
    if (!is_used_up(w) || w.value <= 0 || capacity_of(at, w.resource) > 0) return true;
    return borrows(vnodes_[at], w.resource);
  };
  return std::any_of(request_->chunks.begin(), request_->chunks.end(), [&](const chunk& c) {
    return serves(at, c.wants) && std::all_of(c.wants.begin(), c.wants.end(), gives);
  });
}

// Takes the first few of the candidates that can give the job something; where there are none, the first few of all.
template <class Candidate>
std::vector<index> placement::some_that_may_give(const std::vector<index>& vnodes, Candidate is_candidate) {
  std::vector<index> some;
  some.reserve(why_vnodes_max);
  bool give = false;
  for (const index at : vnodes) {
    if (!is_candidate(at)) continue;
    if (looks_at(1) && may_give(at)) {
      if (!give) some.clear();
      give = true;
      some.push_back(at);
    } else if (!give && some.size() < why_vnodes_max) {
      some.push_back(at);
    }
    if (some.size() == why_vnodes_max && (give || looks_left_ == 0)) break;
  }
  return some;
}

// False: the cycle has looked at enough vnodes to explain what it does. The last look may be longer than what is left.
bool placement::looks_at(std::size_t vnodes) {
  if (looks_left_ == 0) return false;
  looks_left_ -= std::min(looks_left_, vnodes);
  return true;
}

// Tells which want keeps away what found no place: the one that a host was first seen to lack, or, if that belongs to a chunk that found a
// place, the first of which no host has enough.
const want& placement::lacking_want(const node_pool& pool) const {
  const auto is_first = [&](const want& w) {
    return w.resource == first_lack_want_.resource && w.value == first_lack_want_.value && w.text == first_lack_want_.text;
  };
  if (std::any_of(unplaced_->begin(), unplaced_->end(), is_first)) return first_lack_want_;
  const auto short_of = std::find_if(unplaced_->begin(), unplaced_->end(), [&](const want& w) {
    return is_used_up(w) && pool.largest_host[w.resource] < w.value;
  });
  return short_of == unplaced_->end() ? first_lack_want_ : *short_of;
}

// Looks at what lacks and at texts alone.
bool placement::may_hold_when_empty(const node_pool::host_group& host, const want& lacking) const {
  const auto fits = [&](index at) { return serves(at, *unplaced_); };
  if (!is_used_up(lacking)) return std::any_of(host.vnodes.begin(), host.vnodes.end(), fits);
  amount total = 0;
  for (const index at : host.vnodes)
    if (fits(at)) total += capacity_of(at, lacking.resource);
  return total >= lacking.value;
}

const node_pool::best_hosts& placement::best_hosts_of(const node_pool& pool, resource_id r) const {
  if (pool.best.empty()) pool.best.resize(checked_.size());
  auto& best = pool.best[r];
  if (best.freest != none) return best;
  amount most = -1;
  for (index h = 0; h < pool.hosts.size(); ++h) {
    const auto& host = pool.hosts[h];
    amount total = 0;
    for (const index at : host.vnodes) total += capacity_of(at, r);
    if (best.freest == none || host.at_start[r] > pool.hosts[best.freest].at_start[r]) best.freest = h;
    if (total > most) best.roomiest = h, most = total;
  }
  return best;
}

// Finds a host that could hold what found no place if nothing ran there: the one that had most of what lacks free when the cycle began,
// else the one that has most of it in all, else the first. Null: there is none, or it is not looked for any more.
const node_pool::host_group* placement::nearest_host(const node_pool& pool, const want& lacking) {
  const auto best = is_used_up(lacking) ? best_hosts_of(pool, lacking.resource) : node_pool::best_hosts();
  for (const index h : {best.freest, best.roomiest})
    if (h != none && may_hold_when_empty(pool.hosts[h], lacking)) return &pool.hosts[h];
  const bool any_text = std::any_of(unplaced_->begin(), unplaced_->end(), [&](const want& w) { return !counted(w); });
  if (!any_text) return nullptr;
  for (const auto& host : pool.hosts)
    if (!looks_at(host.vnodes.size())) return nullptr;
    else if (may_hold_when_empty(host, lacking)) return &host;
  return nullptr;
}

// Counts what the host has of a resource that is used up, and what is free of it now. Nullopt: it does not lack any.
std::optional<placement::stock> placement::lack_on(const node_pool::host_group& host, const want& w) const {
  if (!is_used_up(w)) return std::nullopt;
  stock has;
  for (const index at : host.vnodes) {
    has.total += capacity_of(at, w.resource);
    if (may_use(at)) has.free += std::max<amount>(0, left_on(at, w.resource));
  }
  return has.free < w.value ? std::optional(has) : std::nullopt;
}

why_data placement::lack_of_place(const node_pool& pool) {
  if (!first_lack_host_) return lack_of_all(pool);
  const want& w = first_lack_want_;
  if (const auto unusable = unusable_with(pool, w); !unusable.empty()) return lack_of_usable(w, unusable);
  const want& lacking = lacking_want(pool);
  if (const auto* host = nearest_host(pool, lacking)) {
    if (const auto has = lack_on(*host, lacking)) return lack_of_amount(lacking, has->free, has->total, host->vnodes);
    for (const want& other : *unplaced_)
      if (const auto has = lack_on(*host, other)) return lack_of_amount(other, has->free, has->total, host->vnodes);
  }
  if (!resources_[w.resource].numeric) return lack_of_value(w, {}, first_lack_host_->vnodes);
  amount total = 0;
  for (const index at : first_lack_host_->vnodes) total += vnodes_[at].available(w.resource);
  return lack_of_amount(w, first_lack_host_->at_start[w.resource], total, first_lack_host_->vnodes);
}

// Each chunk finds a place alone, and all together find none.
why_data placement::lack_of_all(const node_pool& pool) {
  why_data why;
  name_vnodes(why, some_that_may_give(pool.vnodes, [](index) { return true; }));
  return why;
}

// Places the job once more as if vnodes had no limits on what runs there. Where that is possible they keep it away, and those that it would
// have been given are named.
std::optional<why_data> placement::lack_of_run_limits(const node_pool& pool) {
  if (!looks_at(2 * pool.vnodes.size())) return std::nullopt;
  const auto is_full = [&](index at) { return usable_[at] && reached_run_limit(vnodes_[at]); };
  if (std::none_of(pool.vnodes.begin(), pool.vnodes.end(), is_full)) return std::nullopt;
  allocation there;
  refusal unused;
  lifts_run_limits_ = true;
  const bool fits = place_anywhere(there, pool, unused);
  lifts_run_limits_ = false;
  if (!fits) return std::nullopt;
  std::vector<index> full;
  for (const auto& part : there.parts)
    if (is_full(part.vnode) && std::find(full.begin(), full.end(), part.vnode) == full.end()) full.push_back(part.vnode);
  undo(there, {}, 0);
  if (full.empty()) return std::nullopt;
  const auto limit = *reached_run_limit(vnodes_[full.front()]);
  why_data why;
  name_vnodes(why, full);
  why.resource = "vnodes";
  why.limit = std::string(limit.name) + "=" + std::to_string(limit.most);
  why.owner = "vnode " + vnodes_[full.front()].name;
  why.count = std::to_string(limit.count);
  return why;
}

}  // namespace annals::cycle
