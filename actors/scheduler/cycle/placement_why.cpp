// What a placement that found no place says of it as data.
#include <algorithm>
#include <iterator>

#include "actors/scheduler/cycle/placement.hpp"

namespace annals::cycle {

void placement::name_vnodes(why_data& why, const std::vector<index>& from) const {
  why.kind = schema::Why::Kind::RESOURCES;
  const auto count = std::min(from.size(), why_vnodes_max);
  for (std::size_t i = 0; i < count; ++i) why.vnodes.push_back(vnodes_[from[i]].name);
}

why_data placement::lack_of_vnodes(const node_pool& pool, std::uint64_t needed) const {
  why_data why;
  why.resource = "vnodes";
  why.asked = std::to_string(needed);
  why.free = std::to_string(pool.usable);
  why.total = std::to_string(pool.vnodes.size());
  std::vector<index> unusable;
  std::copy_if(pool.vnodes.begin(), pool.vnodes.end(), std::back_inserter(unusable), [&](index at) { return !usable_[at]; });
  name_vnodes(why, those_that_may_give(std::move(unusable)));
  return why;
}

// Names the vnodes that have some of it. A vnode may use the resource of another.
why_data placement::lack_of_amount(const want& w, amount free, amount total, const std::vector<index>& where) const {
  const auto& table = resources_;
  std::vector<index> having;
  std::copy_if(where.begin(), where.end(), std::back_inserter(having), [&](index at) {
    const vnode& v = vnodes_[at];
    return v.available(w.resource) > 0 ||
           std::any_of(v.borrowed.begin(), v.borrowed.end(), [&](const shared_pool& p) { return p.resource == w.resource; });
  });
  why_data why;
  name_vnodes(why, having.empty() ? where : having);
  why.resource = table[w.resource].name;
  why.asked = table.print(w.resource, w.value);
  why.free = table.print(w.resource, free);
  why.total = table.print(w.resource, total);
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
    if (!counted(w) || !resources_[w.resource].consumable || w.value <= 0 || capacity_of(at, w.resource) > 0) return true;
    const auto& borrowed = vnodes_[at].borrowed;
    return std::any_of(borrowed.begin(), borrowed.end(), [&](const shared_pool& p) { return p.resource == w.resource; });
  };
  return std::any_of(request_->chunks.begin(), request_->chunks.end(), [&](const chunk& c) {
    return serves(at, c.wants) && std::all_of(c.wants.begin(), c.wants.end(), gives);
  });
}

// Leaves out vnodes that can never give the job anything, unless there are no others.
std::vector<index> placement::those_that_may_give(std::vector<index> vnodes) const {
  const auto others = std::stable_partition(vnodes.begin(), vnodes.end(), [&](index at) { return may_give(at); });
  if (others != vnodes.begin()) vnodes.erase(others, vnodes.end());
  return vnodes;
}

placement::stock placement::stock_of(const node_pool::host_group& host, const std::vector<want>& wants, const want& w) const {
  stock s;
  for (const index at : host.vnodes) {
    const amount capacity = serves(at, wants) ? capacity_of(at, w.resource) : 0;
    if (capacity <= 0) continue;
    s.total += capacity;
    if (may_use(at)) s.free += std::max<amount>(0, left_on(at, w.resource));
  }
  return s;
}

placement::distance placement::distance_of(const node_pool::host_group& host, const std::vector<want>& wants) const {
  distance d;
  d.never = std::none_of(host.vnodes.begin(), host.vnodes.end(), [&](index at) { return serves(at, wants); });
  for (const want& w : wants) {
    if (d.never) break;
    if (!counted(w) || !resources_[w.resource].consumable || w.value <= 0) continue;
    const auto s = stock_of(host, wants, w);
    d.never = s.total < w.value;
    if (s.free >= w.value) continue;
    ++d.lacking;
    d.short_by += static_cast<double>(w.value - s.free) / static_cast<double>(w.value);
  }
  return d;
}

// Tells what lacks on the host that is nearest to holding what found no place. Nullopt: no host could ever hold it.
std::optional<why_data> placement::lack_of_nearest(const node_pool& pool) const {
  if (!unplaced_ || pool.hosts.empty()) return std::nullopt;
  const node_pool::host_group* nearest = nullptr;
  distance least;
  for (const auto& host : pool.hosts)
    if (const auto d = distance_of(host, *unplaced_); !nearest || d < least) nearest = &host, least = d;
  if (least.never) return std::nullopt;
  for (const want& w : *unplaced_) {
    if (!counted(w) || !resources_[w.resource].consumable) continue;
    if (const auto s = stock_of(*nearest, *unplaced_, w); s.free < w.value) return lack_of_amount(w, s.free, s.total, nearest->vnodes);
  }
  return std::nullopt;
}

// Where no host could ever hold a chunk, the first that is asked stands for all.
why_data placement::lack_of_place(const node_pool& pool) const {
  why_data why;
  const want& w = first_lack_want_;
  if (first_lack_host_)
    if (const auto unusable = unusable_with(pool, w); !unusable.empty()) return lack_of_usable(w, unusable);
  if (auto nearest = lack_of_nearest(pool)) return std::move(*nearest);
  if (!first_lack_host_) return name_vnodes(why, those_that_may_give(pool.vnodes)), why;
  const auto& host = *first_lack_host_;
  if (!resources_[w.resource].numeric) return lack_of_value(w, {}, host.vnodes);
  amount total = 0;
  for (const index at : host.vnodes) total += vnodes_[at].available(w.resource);
  return lack_of_amount(w, host.at_start[w.resource], total, host.vnodes);
}

// Places the job once more as if vnodes had no limits on what runs there. Where that is possible they keep it away, and those that it would
// have been given are named.
std::optional<why_data> placement::lack_of_run_limits(const node_pool& pool) {
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
