#include "actors/scheduler/cycle/inner_space.hpp"

#include <algorithm>

namespace annals::cycle {

inner_space::space::space(const calendar::running_place& place) : shares(place.what.vnodes.size()) {
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i].vnode = place.what.vnodes[i].vnode;
    at.emplace(shares[i].vnode, i);
  }
}

// A vnode that is its alone it has whole.
void inner_space::find_shares(const calendar::running_place& place, const reserved_space& needed, space& of) const {
  const auto& table = view_.resources();
  for (std::size_t i = 0; i < of.shares.size(); ++i) {
    auto& share = of.shares[i];
    const vnode& v = vnodes_[share.vnode];
    share.has.assign(table.size(), 0);
    share.left.assign(table.size(), 0);
    for (resource_id r = 0; r < table.size(); ++r) {
      if (!table[r].numeric) continue;
      const bool shared = table[r].consumable && !place.what.vnodes[i].exclusive;
      share.has[r] = v.available(r);
      share.left[r] = std::max<amount>(0, vnodes_.free_amount(v, r) - (shared ? needed.of(share.vnode, r) : 0));
    }
  }
  const auto share_of = [&](const claim::amount_taken& t) -> vnode_share& { return of.shares[of.at.at(t.vnode)]; };
  for (const auto& t : place.what.amounts) share_of(t).has[t.resource] = share_of(t).left[t.resource] = 0;
  for (const auto& t : place.what.amounts) share_of(t).has[t.resource] += t.value;
  for (const auto& t : place.left) share_of(t).left[t.resource] += t.value;
}

inner_space::space& inner_space::space_of(calendar& dates, const reservation& r) {
  using kind = reserved_space::kind;
  const auto& place = *dates.running(r.serial);
  auto& of = spaces_.try_emplace(r.serial, place).first->second;
  find_shares(place, dates.needed_beside(r.serial), of);
  of.others.vnodes.resize(vnodes_.size());
  of.others.amounts.resize(vnodes_.size());
  for (const auto& share : of.shares) {
    auto& amounts = of.others.amounts[share.vnode];
    amounts.resize(share.left.size());
    for (resource_id resource = 0; resource < amounts.size(); ++resource)
      amounts[resource] = std::max<amount>(0, vnodes_.free_amount(vnodes_[share.vnode], resource) - share.left[resource]);
    of.others.vnodes[share.vnode] = dates.is_shared(share.vnode, r.serial) ? kind::shared : kind::none;
  }
  if (!of.where) of.where = std::make_unique<placement>(view_, policy_, settings_, &of.shares);
  else of.where->vnodes_changed();
  return of;
}

bool inner_space::place(calendar& dates, const reservation& r, const job& j, allocation& out, refusal& why) {
  space& of = space_of(dates, r);
  return of.where->place(j, out, why, &of.others);
}

bool inner_space::leaves_others_alone(calendar& dates, const reservation& r, const claim& what) {
  const auto& place = *dates.running(r.serial);
  const auto& needed = dates.needed_beside(r.serial);
  const auto sum_of = [](const std::vector<claim::amount_taken>& all, const claim::amount_taken& of) {
    amount sum = 0;
    for (const auto& t : all) sum += t.vnode == of.vnode && t.resource == of.resource ? t.value : 0;
    return sum;
  };
  return std::all_of(what.amounts.begin(), what.amounts.end(), [&](const claim::amount_taken& asked) {
    if (sum_of(place.what.amounts, asked) > 0) return sum_of(what.amounts, asked) <= sum_of(place.left, asked);
    return vnodes_.free_amount(vnodes_[asked.vnode], asked.resource) >= needed.of(asked.vnode, asked.resource);
  });
}

}  // namespace annals::cycle
