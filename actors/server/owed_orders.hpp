// What a host is owed, in the order in which it was ordered: over each new connection it is sent so, and a request of a run comes after
// the order that it belongs to. Pure, no actors.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "actors/server/messages.hpp"
#include "events/schema/daemon/to_mom.capnp.h"

namespace annals::actors {

class owed_orders {
 public:
  using message = schema::sealed<schema::ToMom>;

  bool contains(const order_key& key) const { return places_.contains(key); }
  // One that is owed already keeps its place: it is the same order, with a fresh ticket or newer hooks.
  void put(const order_key& key, message what) {
    const auto [at, is_new] = places_.try_emplace(key, last_place_ + 1);
    if (is_new) ++last_place_;
    orders_.insert_or_assign(at->second, std::pair(key, std::move(what)));
  }
  void withdraw(const order_key& key) {
    if (const auto at = places_.extract(key)) orders_.erase(at.mapped());
  }
  template <class Which>
  void withdraw_if(Which&& which) {  // which(key, message)
    std::erase_if(orders_, [&](const auto& one) {
      const auto& [key, what] = one.second;
      if (!which(key, what)) return false;
      places_.erase(key);
      return true;
    });
  }
  template <class Visit>
  void each(Visit&& visit) const {  // visit(key, message)
    for (const auto& [place, one] : orders_) visit(one.first, one.second);
  }

 private:
  std::map<order_key, std::uint64_t> places_;
  std::map<std::uint64_t, std::pair<order_key, message>> orders_;  // by place
  std::uint64_t last_place_ = 0;
};

}  // namespace annals::actors
