#include "events/model/reservation/open_windows.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/model/reservation/vnode_dates.hpp"
#include "events/model/vnodes/sharing.hpp"

namespace annals::model {

void open_windows::changed(const reservation_state& r) {
  const auto* window = r.phase == reservation_phase::running ? r.current() : nullptr;
  const std::string now = window ? window->exec_vnode : std::string();
  const auto known = places_.find(r.serial);
  if (known == places_.end() ? now.empty() : known->second == now) return;
  if (known != places_.end()) {
    leave(r.serial, known->second);
    places_.erase(known);
  }
  if (now.empty()) return;
  place_reader read;
  for (const auto& [vnode, has] : read(now)) by_vnode_[vnode].push_back({r.serial, has});
  places_.emplace(r.serial, now);
}

void open_windows::leave(std::uint64_t who, const std::string& place) {
  place_reader read;
  for (const auto& [vnode, has] : read(place)) {
    const auto at = by_vnode_.find(vnode);
    std::erase_if(at->second, [&](const holder& h) { return h.who == who; });
    if (at->second.empty()) by_vnode_.erase(at);
  }
}

const std::vector<open_windows::holder>* open_windows::of(std::string_view vnode) const {
  const auto at = by_vnode_.find(vnode);
  return at == by_vnode_.end() ? nullptr : &at->second;
}

bool has_alone(const reservation_state& r, std::string_view sharing) {
  if (r.kind == schema::ReservationKind::MAINTENANCE) return true;
  return hold_of(r.attributes.get(attributes::reservation::Resource_List, "place").value_or(""), sharing) == hold_kind::exclusive;
}

}  // namespace annals::model
