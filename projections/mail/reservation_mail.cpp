// The table of a reservation's mails.
#include "projections/mail/reservation_mail.hpp"

#include "events/attributes/ids.hpp"
#include "projections/mail/mail_text.hpp"

namespace annals::projections {

namespace {

namespace ids = attributes::reservation;
using event_kind = schema::ReservationEvent::Which;
using phase = model::reservation_phase;

constexpr std::string_view default_points_of_reservation = "ac";
constexpr mail_subject of_reservation{"RESERVATION", "PBS Reservation Id: ", "Reservation Name:   "};

struct reservation_rule {
  event_kind event;
  char point;
  bool (*applies)(const reservation_moment&);
  std::string (*body)(const reservation_moment&);
};

bool every_time(const reservation_moment&) { return true; }
bool was_asked_for(const reservation_moment& m) { return !m.sought_other_place; }
bool is_forced(const reservation_moment& m) { return m.event.getAlterRequested().getForce(); }
bool was_the_last(const reservation_moment& m) {
  return m.reservation.phase == phase::being_deleted && m.before != phase::being_deleted;
}

std::string confirmation(const reservation_moment&) { return "Reservation transitioned from state UNCONFIRMED to CONFIRMED"; }
std::string start_of_period(const reservation_moment&) { return "Reservation period starting"; }
std::string end_of_period(const reservation_moment&) { return "Reservation period ended"; }
std::string removal(const reservation_moment& m) { return "Reservation removed\nRequesting party: " + m.at.by.at_host(); }

constexpr reservation_rule reservation_rules[] = {
    {event_kind::CONFIRMED, 'c', was_asked_for, confirmation},
    {event_kind::ALTER_REQUESTED, 'c', is_forced, confirmation},
    {event_kind::OCCURRENCE_BEGAN, 'b', every_time, start_of_period},
    {event_kind::OCCURRENCE_ENDED, 'e', every_time, end_of_period},
    {event_kind::OCCURRENCE_ENDED, 'a', was_the_last, removal},
    {event_kind::DELETE_REQUESTED, 'a', every_time, removal},
};

}  // namespace

void mails_of(const reservation_moment& moment, const job_mail_taker& take) {
  const auto& r = moment.reservation;
  const auto points = r.attributes.get(ids::Mail_Points).value_or(default_points_of_reservation);
  for (const auto& rule : reservation_rules) {
    if (rule.event != moment.event.which() || points.find(rule.point) == std::string_view::npos || !rule.applies(moment)) continue;
    auto to = recipients(r.attributes.get(ids::Mail_Users).value_or(""), r.owner());
    const auto id = model::full_id(r, r.attributes.get(ids::server).value_or(""));
    auto text = mail_text(of_reservation, to, id, r.name(), rule.body(moment));
    if (!to.empty()) take({std::move(to), std::move(text)});
  }
}

}  // namespace annals::projections
