#include "projections/exports/reservation_rows.hpp"

#include "events/attributes/ids.hpp"
#include "projections/exports/words.hpp"

namespace annals::exports {

namespace reservation_ids = attributes::reservation;
using projections::reservation_occasion;
using reservation_event = schema::ReservationEvent::Which;

namespace {

const char* kind_name(schema::ReservationKind kind) {
  switch (kind) {
    case schema::ReservationKind::ADVANCE: return "advance";
    case schema::ReservationKind::STANDING: return "standing";
    case schema::ReservationKind::ASAP: return "asap";
    case schema::ReservationKind::FROM_JOB: return "from_job";
    case schema::ReservationKind::MAINTENANCE: return "maintenance";
  }
  return "unknown";
}

std::string end_reason(const reservation_occasion& o) {
  if (o.event.isDenied()) return schema::str(o.event.getDenied().getText());
  return o.reservation.end_reason;
}

}  // namespace

void reservation_rows::put(const reservation_occasion& o, const story& s, const row_taker& take) const {
  const auto& r = o.reservation;
  const auto text = [&](attributes::attribute_id id) { return r.attributes.get(id).value_or(""); };
  const bool gone = r.phase == model::reservation_phase::ended;
  row_builder b(table_id::reservations, o.at.wall_ns);
  b.count("reservation", o.at.stream).text("reservation_id", projections::full_id(r)).text("reservation_name", r.name());
  b.text("kind", kind_name(r.kind)).text("owner", r.owner()).text("queue", r.id).at_unless_0("submitted_at", r.submitted_ns);
  b.text_unless_empty("submitted_by", s.submitted_by).at_unless_0("confirmed_at", s.confirmed_ns);
  b.text_unless_empty("confirmed_by", s.confirmed_by).text("state", gone ? "ended" : model::state_name(r));
  if (const auto* window = r.current()) {
    b.at("starts_at", window->start_ns).at("ends_at", window->end_ns);
    b.integer("duration_s", (window->end_ns - window->start_ns) / 1'000'000'000).text_unless_empty("nodes", window->exec_vnode);
  }
  b.integer("occurrences", r.count)
      .text_unless_empty("rrule", text(reservation_ids::reserve_rrule))
      .text_unless_empty("timezone", text(reservation_ids::reserve_timezone));
  b.text_unless_empty("interactive", text(reservation_ids::interactive))
      .text_unless_empty("users", text(reservation_ids::Authorized_Users));
  b.text_unless_empty("groups", text(reservation_ids::Authorized_Groups))
      .text_unless_empty("hosts", text(reservation_ids::Authorized_Hosts));
  b.text_unless_empty("deleted_by", s.deleted_by);
  if (gone) b.at("ended_at", o.at.wall_ns);
  take(b.text_unless_empty("end_reason", end_reason(o)).count("sequence", o.at.sequence).done(gone));
  for (const auto& e : r.attributes) {
    if (e.id != reservation_ids::Resource_List) continue;
    auto typed = resources_.read(e.resource, e.value);
    row_builder of(table_id::reservation_resources, o.at.wall_ns);
    of.count("reservation", o.at.stream).text("resource", e.resource).text("type", typed.type);
    of.any("integer_value", std::move(typed.integer)).any("real_value", std::move(typed.real)).text("text_value", e.value);
    take(of.count("sequence", o.at.sequence).done(gone));
  }
}

void reservation_rows::put_occurrence(const reservation_occasion& o, const story& s, bool closed, const row_taker& take) {
  row_builder b(table_id::reservation_occurrences, o.at.wall_ns);
  b.count("reservation", o.at.stream).integer("occurrence", s.open.index).text("reservation_id", projections::full_id(o.reservation));
  b.at("starts_at", s.open.start_ns).at("ends_at", s.open.end_ns).text("nodes", s.open.exec_vnode).at("began_at", s.opened_ns);
  if (closed) b.at("closed_at", o.at.wall_ns);
  take(b.count("sequence", o.at.sequence).done(closed));
}

void reservation_rows::changed(const reservation_occasion& o, const row_taker& take) {
  auto& s = stories_[o.at.stream];
  if (projections::is_confirmed(o)) {
    s.confirmed_ns = o.at.wall_ns;
    s.confirmed_by = projections::confirmed_by(o);
  }
  switch (o.event.which()) {
    case reservation_event::SUBMITTED: s.submitted_by = o.at.by.at_host(); break;
    case reservation_event::DELETE_REQUESTED: s.deleted_by = o.at.by.at_host(); break;
    case reservation_event::OCCURRENCE_BEGAN:
      if (const auto* window = o.reservation.current()) {
        s.open = *window;
        s.opened_ns = o.at.wall_ns;
        put_occurrence(o, s, false, take);
      }
      break;
    default: break;
  }
  const bool gone = o.reservation.phase == model::reservation_phase::ended;
  if (s.open.index != 0 && (o.event.isOccurrenceEnded() || gone)) {
    put_occurrence(o, s, true, take);
    s.open = {};
  }
  put(o, s, take);
  if (gone) stories_.erase(o.at.stream);
}

}  // namespace annals::exports
