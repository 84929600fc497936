#include "events/model/reservation/bookings.hpp"

#include <algorithm>
#include <vector>

#include "events/attributes/ids.hpp"
#include "events/model/refuse.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

namespace ids = attributes::reservation;
namespace pbs_error = values::pbs_error;

namespace {

// What somebody has of vnodes for a time.
struct booking {
  std::int64_t start_ns = 0, end_ns = 0;
  std::map<std::string, amounts, std::less<>> vnodes;
  bool exclusive = false;
};

std::map<std::string, amounts, std::less<>> amounts_of(std::string_view exec_vnode) {
  std::map<std::string, amounts, std::less<>> all;
  values::exec_vnode_reader parts(exec_vnode);
  amounts_reader read;
  for (values::exec_vnode_reader::part p; parts.next(p);) {
    auto& sum = all[std::string(p.vnode)];
    sum.add(read(p.resources), +1);
  }
  return all;
}

bool alone(const reservation_state& r) {
  return r.kind == schema::ReservationKind::MAINTENANCE ||
         read_place_sharing(r.attributes.get(ids::Resource_List, "place").value_or("")).exclusive;
}

rejection taken(std::string_view vnode) {
  return refuse(pbs_error::resource_unavailable, "Not enough free nodes available: another reservation has " + std::string(vnode));
}

// More is taken only when somebody's time begins: these are the moments to look at.
std::optional<rejection> too_much(const booking& own, const std::vector<booking>& others, const holdings& vnodes) {
  std::vector<std::int64_t> moments{own.start_ns};
  for (const auto& o : others) moments.push_back(std::max(own.start_ns, o.start_ns));
  for (const auto& [vnode, asked] : own.vnodes)
    for (const auto moment : moments) {
      amounts sum = asked;
      for (const auto& o : others) {
        const auto its = o.vnodes.find(vnode);
        if (its == o.vnodes.end() || moment < o.start_ns || moment >= o.end_ns) continue;
        if (own.exclusive || o.exclusive) return taken(vnode);
        sum.add(its->second, +1);
      }
      for (const auto& [resource, a] : sum)
        if (const auto have = vnodes.available_of(vnode, resource); have && a.value > *have) return taken(vnode);
    }
  return std::nullopt;
}

}  // namespace

std::optional<rejection> bookings::check_place(const reservation_state& whose, schema::OccurrencePlace::Reader place,
                                               std::string_view partition, const holdings& vnodes) const {
  return check_place(whose, {place.getIndex(), place.getStartNs(), place.getEndNs(), schema::str(place.getExecVnode())}, partition, vnodes);
}

std::optional<rejection> bookings::check_place(const reservation_state& whose, const occurrence& place, std::string_view partition,
                                               const holdings& vnodes) const {
  const booking own{place.start_ns, place.end_ns, amounts_of(place.exec_vnode), alone(whose)};
  for (const auto& [vnode, asked] : own.vnodes) {
    const auto where = vnodes.place_of(vnode);
    if (!where.host) return refuse(pbs_error::unknown_node, "Unknown node " + vnode);
    if (where.partition != partition) return refuse(pbs_error::unauthorized, "Unauthorized Request: " + vnode + " is in another partition");
  }
  // Maintenance takes the hosts from whoever has reserved them (pbs guide, pbs_rsub --hosts).
  if (whose.kind == schema::ReservationKind::MAINTENANCE) return std::nullopt;
  std::vector<booking> others;
  for (const auto& [serial, r] : reservations_) {
    if (serial == whose.serial || !r.has_queue()) continue;
    for (auto o = r.occurrences.begin() + r.over; o != r.occurrences.end(); ++o)
      if (o->start_ns < own.end_ns && own.start_ns < o->end_ns)
        others.push_back({o->start_ns, o->end_ns, amounts_of(o->exec_vnode), alone(r)});
  }
  return too_much(own, others, vnodes);
}

// Its job must still hold the vnodes that the reservation is to have.
std::optional<rejection> bookings::check_place_of_job(const event_place& at, schema::ReservationEvent::Reader event,
                                                      const holdings& vnodes) const {
  reservation_state r;
  model::apply(r, at, event);
  for (const auto& place : r.occurrences) {
    for (const auto& vnode : vnodes_of(place.exec_vnode)) {
      const auto* use = vnodes.find(vnode);
      if (!use || std::none_of(use->jobs.begin(), use->jobs.end(), [&](const auto& j) { return j.job == r.job; }))
        return refuse(pbs_error::bad_state);
    }
    if (auto why = check_place(r, place, r.partition, vnodes)) return why;
  }
  return std::nullopt;
}

std::optional<rejection> bookings::check(const event_place& at, schema::ReservationEvent::Reader event, const holdings& vnodes) const {
  if (event.isSubmitted() && event.getSubmitted().getKind() == schema::ReservationKind::FROM_JOB)
    return check_place_of_job(at, event, vnodes);
  if (!event.isConfirmed()) return std::nullopt;
  const auto whose = reservations_.find(at.stream);
  if (whose == reservations_.end()) return refuse(pbs_error::unknown_reservation);
  for (auto place : event.getConfirmed().getOccurrences())
    if (auto why = check_place(whose->second, place, schema::text(event.getConfirmed().getPartition()), vnodes)) return why;
  return std::nullopt;
}

void bookings::apply(const event_place& at, schema::ReservationEvent::Reader event) {
  auto& r = reservations_[at.stream];
  model::apply(r, at, event);
  if (r.phase == reservation_phase::ended) reservations_.erase(at.stream);
}

std::optional<rejection> bookings::check_run(std::string_view queue, std::string_view exec_vnode) const {
  const auto whose = std::find_if(reservations_.begin(), reservations_.end(), [&](const auto& r) { return r.second.id == queue; });
  if (whose == reservations_.end()) return std::nullopt;
  const auto& r = whose->second;
  if (r.phase != reservation_phase::running) return refuse(pbs_error::resource_unavailable, "its reservation does not run");
  if (r.change && r.change->occurrences[r.over].start_ns != r.current()->start_ns)
    return refuse(pbs_error::resource_unavailable, "its reservation is to begin later");
  const auto own = amounts_of(r.current()->exec_vnode);
  for (const auto& [vnode, asked] : amounts_of(exec_vnode))
    if (!own.contains(vnode)) return refuse(pbs_error::resource_unavailable, vnode + " is not of the job's reservation");
  return std::nullopt;
}

const std::string* bookings::put_off(const event_place& at, schema::ReservationEvent::Reader event) const {
  const auto whose = reservations_.find(at.stream);
  if (!event.isAlterRequested() || whose == reservations_.end() || whose->second.phase != reservation_phase::running) return nullptr;
  for (auto w : event.getAlterRequested().getOccurrences())
    if (w.getIndex() == whose->second.running && w.getStartNs() != whose->second.current()->start_ns) return &whose->second.id;
  return nullptr;
}

bool bookings::has_number(std::uint64_t number) const {
  return std::any_of(reservations_.begin(), reservations_.end(), [&](const auto& r) { return number_of(r.second) == number; });
}

}  // namespace annals::model
