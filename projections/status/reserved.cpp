// Keeps the reservations of the status projection, and which vnodes they have for themselves.
#include <algorithm>
#include <set>

#include "events/attributes/ids.hpp"
#include "events/values/exec_vnode.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

void status::fold_reservation(const model::event_place& at, schema::ReservationEvent::Reader event) {
  const auto open_place = [&] {
    const auto open = open_.places().find(at.stream);
    return open == open_.places().end() ? std::string() : open->second;
  };
  auto& r = reservations_[at.stream];
  const auto before = open_place();
  model::apply(r, at, event);
  reserved_.changed(r);
  open_.changed(r);
  if (const auto after = open_place(); after != before) note_reserved(r, before, after, at.seconds());
  if (r.phase == model::reservation_phase::ended) reservations_.erase(at.stream);
}

bool status::is_reserved_alone(const model::vnode_state& vnode, std::uint64_t but) const {
  const auto* const holders = open_.of(vnode.name);
  const auto sharing = vnode.attributes.get(attributes::node::sharing).value_or("");
  return holders && std::any_of(holders->begin(), holders->end(), [&](const auto& h) {
           return h.who != but && model::has_alone(reservations_.at(h.who), sharing);
         });
}

// Its window is open at another place than before: vnodes in one of them alone are resv-exclusive now, or no more.
void status::note_reserved(const model::reservation_state& r, const std::string& before, const std::string& after, std::int64_t at_s) {
  std::set<std::string_view> changed;
  for (const auto& place : {std::string_view(before), std::string_view(after)}) {
    std::set<std::string_view> named;
    values::exec_vnode_reader parts(place);
    for (values::exec_vnode_reader::part p; parts.next(p);) named.insert(p.vnode);
    for (const auto vnode : named)
      if (changed.erase(vnode) == 0) changed.insert(vnode);
  }
  for (const auto name : changed) {
    const auto* host = host_of_vnode(name);
    const auto* vnode = host ? host->vnode(name) : nullptr;
    if (!vnode || is_reserved_alone(*vnode, r.serial)) continue;
    if (model::has_alone(r, vnode->attributes.get(attributes::node::sharing).value_or(""))) holdings_.state_changed(name, at_s);
  }
}

}  // namespace annals::projections
