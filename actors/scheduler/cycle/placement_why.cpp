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
  why.kind = schema::Why::Kind::RESOURCES;
  why.resource = "vnodes";
  why.asked = std::to_string(needed);
  why.free = std::to_string(pool.usable);
  why.total = std::to_string(pool.vnodes.size());
  for (const index at : pool.vnodes)
    if (!usable_[at] && why.vnodes.size() < why_vnodes_max) why.vnodes.push_back(vnodes_[at].name);
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

// Of the first host that can't hold a chunk; where each could, of all.
why_data placement::lack_of_place(const node_pool& pool) const {
  why_data why;
  if (!first_lack_host_) return name_vnodes(why, pool.vnodes), why;
  const auto& host = *first_lack_host_;
  const want& w = first_lack_want_;
  if (const auto unusable = unusable_with(pool, w); !unusable.empty()) return lack_of_usable(w, unusable);
  if (!resources_[w.resource].numeric) return lack_of_value(w, {}, host.vnodes);
  amount total = 0;
  for (const index at : host.vnodes) total += vnodes_[at].available(w.resource);
  return lack_of_amount(w, host.at_start[w.resource], total, host.vnodes);
}

}  // namespace annals::cycle
