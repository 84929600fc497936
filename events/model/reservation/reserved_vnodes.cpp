#include "events/model/reservation/reserved_vnodes.hpp"

#include <utility>

namespace annals::model {

void reserved_vnodes::changed(const reservation_state& r) {
  auto kept = r.has_queue() ? vnodes_to_come(r) : std::vector<std::string>();
  auto& known = vnodes_[r.serial];
  if (known != kept) {
    for (const auto& name : known) {
      const auto at = by_vnode_.find(name);
      at->second.erase(r.serial);
      if (at->second.empty()) by_vnode_.erase(at);
    }
    for (const auto& name : kept) by_vnode_[name].insert(r.serial);
    known = std::move(kept);
  }
  if (known.empty()) vnodes_.erase(r.serial);
}

const reserved_vnodes::serials* reserved_vnodes::of(std::string_view vnode) const {
  const auto at = by_vnode_.find(vnode);
  return at == by_vnode_.end() ? nullptr : &at->second;
}

}  // namespace annals::model
