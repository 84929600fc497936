#include "events/model/reservation/bookings.hpp"

#include <algorithm>
#include <vector>

#include "events/attributes/ids.hpp"
#include "events/model/limits.hpp"
#include "events/model/refuse.hpp"
#include "events/model/resource_users.hpp"
#include "events/model/vnodes/sharing.hpp"

namespace annals::model {

namespace ids = attributes::reservation;
namespace pbs_error = values::pbs_error;

namespace {

bool alone(const reservation_state& r) {
  return r.kind == schema::ReservationKind::MAINTENANCE ||
         read_place_sharing(r.attributes.get(ids::Resource_List, "place").value_or("")).exclusive;
}

rejection taken(std::string_view vnode) {
  return refuse(pbs_error::resource_unavailable, "Not enough free nodes available: another reservation has " + std::string(vnode));
}

rejection not_in_window(const char* why) { return refuse(pbs_error::resource_unavailable, why); }

rejection too_little(const std::string& resource) {
  return refuse(pbs_error::resource_unavailable, "Insufficient amount of resource: " + resource + " ");
}

// Of a vnode that it has for itself it has everything.
bool has_all_of(const reservation_state& r, std::string_view vnode, const holdings& vnodes) {
  const auto* host = vnodes.host_of(vnode);
  const auto* its = host ? host->vnode(vnode) : nullptr;
  return has_alone(r, its ? its->attributes.get(attributes::node::sharing).value_or("") : "");
}

bool asks_for(const attributes::attribute_set& of, std::string_view resource) {
  for (const auto& e : of)
    if (e.id == ids::Resource_List && model::asks_for(e.resource, e.value, resource)) return true;
  return false;
}

// A job makes one reservation at most, and an operator knows what he does.
bool is_counted(schema::ReservationKind kind) {
  return kind == schema::ReservationKind::ADVANCE || kind == schema::ReservationKind::STANDING;
}

}  // namespace

bool bookings::any_asks_for(std::string_view resource) const {
  return std::ranges::any_of(reservations_, [&](const auto& entry) {
    const auto& r = entry.second;
    return asks_for(r.attributes, resource) || (r.change && asks_for(r.change->attributes, resource));
  });
}

std::optional<rejection> bookings::check_place(const reservation_state& whose, vnode_dates::span time, const vnode_amounts& place,
                                               std::string_view partition, const holdings& vnodes) const {
  for (const auto& [vnode, asked] : place) {
    const auto where = vnodes.place_of(vnode);
    if (!where.host) return refuse(pbs_error::unknown_node, "Unknown node " + vnode);
    if (where.partition != partition) return refuse(pbs_error::unauthorized, "Unauthorized Request: " + vnode + " is in another partition");
  }
  // Maintenance takes the hosts from whoever has reserved them (pbs guide, pbs_rsub --hosts).
  if (whose.kind == schema::ReservationKind::MAINTENANCE) return std::nullopt;
  const bool exclusive = alone(whose);
  for (const auto& entry : place) {
    const auto too_many = [&](const std::vector<vnode_dates::holder>& there) {
      amounts sum = entry.second;
      for (const auto& h : there) {
        if (h.who == whose.serial) continue;
        if (exclusive || h.alone) return true;
        sum.add(h.has, +1);
      }
      return std::any_of(sum.begin(), sum.end(), [&](const auto& a) {
        const auto have = vnodes.available_of(entry.first, a.first);
        return have && a.second.value > *have;
      });
    };
    if (too_many({}) || dates_.any(entry.first, time, too_many)) return taken(entry.first);
  }
  return std::nullopt;
}

// Its job must still hold the vnodes that the reservation is to have, and not be somebody else's: it may be asked for twice before it
// has come to the queue of the first.
std::optional<rejection> bookings::check_place_of_job(const event_place& at, schema::ReservationEvent::Reader event,
                                                      const holdings& vnodes) const {
  reservation_state r;
  model::apply(r, at, event);
  const auto has_its_job = [&](const auto& other) { return other.second.kind == r.kind && other.second.job == r.job; };
  if (std::any_of(reservations_.begin(), reservations_.end(), has_its_job)) return refuse(pbs_error::bad_state);
  place_reader read;
  for (const auto& o : r.occurrences) {
    const auto& place = read(o.exec_vnode);
    for (const auto& [vnode, has] : place) {
      const auto* use = vnodes.find(vnode);
      if (!use || std::none_of(use->jobs.begin(), use->jobs.end(), [&](const auto& j) { return j.job == r.job; }))
        return refuse(pbs_error::bad_state);
    }
    if (auto why = check_place(r, {o.start_ns, o.end_ns}, place, r.partition, vnodes)) return why;
  }
  return std::nullopt;
}

std::optional<rejection> bookings::check_count(const event_place& at, schema::ReservationKind kind) const {
  const auto its = count_of_user_.find(at.by.user);
  if (!is_counted(kind) || at.by.is_operator() || its == count_of_user_.end() || its->second < limits::reservations_of_user_max)
    return std::nullopt;
  return refuse(pbs_error::exceeds_limit, "would exceed the limit of " + std::to_string(limits::reservations_of_user_max) +
                                              " reservations of user " + at.by.user + " at a time");
}

const reservation_state* bookings::of_stream(std::uint64_t serial, const reservation_state* born) const {
  if (const auto known = reservations_.find(serial); known != reservations_.end()) return &known->second;
  return born && born->serial == serial ? born : nullptr;
}

std::optional<rejection> bookings::check(const event_place& at, schema::ReservationEvent::Reader event, const holdings& vnodes,
                                         const reservation_state* born) const {
  if (event.isSubmitted() && event.getSubmitted().getKind() == schema::ReservationKind::FROM_JOB)
    return check_place_of_job(at, event, vnodes);
  if (event.isSubmitted()) return check_count(at, event.getSubmitted().getKind());
  if (!event.isConfirmed() && !event.isLaterPlaced()) return std::nullopt;
  const auto answered = event.isConfirmed() ? event.getConfirmed() : event.getLaterPlaced();
  const auto* const whose = of_stream(at.stream, born);
  if (!whose) return refuse(pbs_error::unknown_reservation);
  const auto partition = schema::text(answered.getPartition());
  place_reader read;
  for (auto o : answered.getOccurrences())
    if (auto why = check_place(*whose, {o.getStartNs(), o.getEndNs()}, read(schema::text(o.getExecVnode())), partition, vnodes))
      return why;
  return std::nullopt;
}

void bookings::change_dates(const reservation_state& r, std::uint32_t from, std::uint32_t to, change what) {
  if (!r.placed) return;
  place_reader read;
  for (auto n = from; n < to; ++n) {
    const auto& o = r.occurrences[n];
    for (const auto& [vnode, has] : read(o.exec_vnode)) {
      const vnode_dates::holder h{r.serial, has, alone(r)};
      if (what == change::book) dates_.book(vnode, {o.start_ns, o.end_ns}, h);
      else dates_.free(vnode, {o.start_ns, o.end_ns}, h);
    }
  }
}

void bookings::apply(const event_place& at, schema::ReservationEvent::Reader event) {
  auto& r = reservations_[at.stream];
  const auto count = [&] { return static_cast<std::uint32_t>(r.occurrences.size()); };
  const bool moves = event.isSubmitted() || event.isConfirmed() || event.isAlterRequested() || event.isLaterAsked() ||
                     event.isLaterPlaced();
  const auto over = r.over;
  if (moves || event.isEnded() || event.isDenied()) change_dates(r, over, count(), change::free);
  model::apply(r, at, event);
  if (event.isSubmitted()) serial_of_number_[number_of(r)] = at.stream;
  if (event.isSubmitted() && is_counted(r.kind)) ++count_of_user_[std::string(r.owner_name())];
  if (moves) change_dates(r, r.over, count(), change::book);
  else if (r.over > over) change_dates(r, over, r.over, change::free);
  open_.changed(r);
  if (r.phase != reservation_phase::ended) return;
  serial_of_number_.erase(number_of(r));
  if (const auto its = count_of_user_.find(r.owner_name()); is_counted(r.kind) && its != count_of_user_.end() && --its->second == 0)
    count_of_user_.erase(its);
  reservations_.erase(at.stream);
}

// The queue has the reservation's id.
const reservation_state* bookings::with_queue(std::string_view queue) const {
  const auto serial = serial_of_number_.find(number_of(queue));
  if (serial == serial_of_number_.end()) return nullptr;
  const auto& r = reservations_.at(serial->second);
  return r.id == queue ? &r : nullptr;
}

std::optional<rejection> bookings::check_run(const run& r, const holdings& vnodes, const queue_of_job& queue_of) const {
  const auto* whose = with_queue(r.queue);
  if (!whose) return check_beside(r, vnodes, queue_of);
  if (r.begins && whose->phase != reservation_phase::running) return not_in_window("its reservation does not run");
  if (r.begins && whose->change && whose->change->occurrences[whose->over].start_ns != whose->current()->start_ns)
    return not_in_window("its reservation is to begin later");
  if (whose->phase != reservation_phase::running) return std::nullopt;
  return check_within(*whose, r, vnodes, queue_of);
}

// The amounts that an open window has of the vnode, and that its jobs have not taken.
amounts bookings::not_taken(const open_windows::holder& of, const vnode_use& use, const queue_of_job& queue_of) const {
  const auto held = held_in(reservations_.at(of.who), use, queue_of);
  amounts left;
  for (const auto& [resource, a] : of.has) left[resource] = {std::max(0.0, a.value - held.value_of(resource)), a.is_size};
  return left;
}

// Jobs of a reservation get what other windows leave of a resource that the reservation has not asked for, as in a cycle.
std::optional<rejection> bookings::check_within(const reservation_state& whose, const run& r, const holdings& vnodes,
                                                const queue_of_job& queue_of) const {
  place_reader read_own, read;
  const auto& own = read_own(whose.current()->exec_vnode);
  for (const auto& [vnode, asked] : read(r.exec_vnode)) {
    const auto its = own.find(vnode);
    if (its == own.end() && r.begins) return refuse(pbs_error::resource_unavailable, vnode + " is not of the job's reservation");
    const auto* use = vnodes.find(vnode);
    if (its == own.end() || !use || has_all_of(whose, vnode, vnodes)) continue;
    const auto held = held_in(whose, *use, queue_of);
    for (const auto& [resource, a] : asked) {
      const auto have = a.value > 0 ? vnodes.available_of(vnode, resource) : std::nullopt;
      if (!have) continue;
      const bool reserved = its->second.contains(resource);
      const auto used = reserved ? held.value_of(resource) : taken_beside(whose, vnode, *use, resource, queue_of);
      if (used + a.value > (reserved ? its->second.value_of(resource) : *have)) return too_little(resource);
    }
  }
  return std::nullopt;
}

// In use, or kept for other open windows.
double bookings::taken_beside(const reservation_state& whose, std::string_view vnode, const vnode_use& use, std::string_view resource,
                              const queue_of_job& queue_of) const {
  double sum = use.assigned.value_of(resource);
  if (const auto* const open = open_.of(vnode))
    for (const auto& holder : *open)
      if (holder.who != whose.serial && holder.has.contains(resource)) sum += not_taken(holder, use, queue_of).value_of(resource);
  return sum;
}

// Of a vnode that an open window needs. What was there before the window opened, or is put there by hand, stays (qrun -H, qsig -s resume).
std::optional<rejection> bookings::check_beside(const run& r, const holdings& vnodes, const queue_of_job& queue_of) const {
  if (open_.empty() || !r.begins || !r.by_scheduler) return std::nullopt;
  place_reader read;
  for (const auto& [vnode, asked] : read(r.exec_vnode)) {
    const auto* const open = open_.of(vnode);
    const auto* use = vnodes.find(vnode);
    if (!open || !use) continue;
    amounts sum = use->assigned;
    sum.add(asked, +1);
    for (const auto& holder : *open) {
      const auto& whose = reservations_.at(holder.who);
      if (has_all_of(whose, vnode, vnodes)) return taken(vnode);
      sum.add(not_taken(holder, *use, queue_of), +1);
    }
    for (const auto& [resource, a] : asked)
      if (const auto have = vnodes.available_of(vnode, resource); a.value > 0 && have && sum.value_of(resource) > *have)
        return taken(vnode);
  }
  return std::nullopt;
}

const std::string* bookings::put_off(const event_place& at, schema::ReservationEvent::Reader event) const {
  const auto whose = reservations_.find(at.stream);
  if (!event.isAlterRequested() || whose == reservations_.end() || whose->second.phase != reservation_phase::running) return nullptr;
  for (auto w : event.getAlterRequested().getOccurrences())
    if (w.getIndex() == whose->second.running && w.getStartNs() != whose->second.current()->start_ns) return &whose->second.id;
  return nullptr;
}

}  // namespace annals::model
