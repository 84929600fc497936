#include "projections/accounting/reservation_records.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/values/string_list.hpp"
#include "projections/accounting/record_text.hpp"

namespace annals::projections {

namespace reservation_ids = attributes::reservation;
using reservation_event = schema::ReservationEvent::Which;
using kind = schema::ReservationKind;
using reservation_phase = model::reservation_phase;

namespace {

struct reservation_rule {
  reservation_event event;
  char letter;
  bool (*applies)(const reservation_occasion&);
  void (*put_fields)(std::string& line, const reservation_occasion&);
  bool blank_at_end;  // PBS ends some records with a blank
};

std::string_view attribute(const reservation_occasion& o, attributes::attribute_id id) {
  return o.reservation.attributes.get(id).value_or("");
}

bool always(const reservation_occasion&) { return true; }
bool of_running_job(const reservation_occasion& o) { return o.reservation.kind == kind::FROM_JOB; }
bool asked_for(const reservation_occasion& o) { return !of_running_job(o); }
bool forced(const reservation_occasion& o) { return o.event.getAlterRequested().getForce(); }
bool was_the_last(const reservation_occasion& o) {
  return o.reservation.phase == reservation_phase::being_deleted && o.before != reservation_phase::being_deleted;
}
bool by_owner(const reservation_occasion& o) { return o.at.by.role != schema::Role::SERVER && o.at.by.at_host() == o.reservation.owner(); }
bool by_other(const reservation_occasion& o) { return !by_owner(o); }

void put_seconds(std::string& line, std::string_view name, std::int64_t ns) { put(line, name, std::to_string(ns / 1'000'000'000)); }

void requestor(std::string& line, const reservation_occasion& o) { put(line, "requestor", o.at.by.at_host()); }

void server_itself(std::string& line, const reservation_occasion& o) {
  put(line, "requestor", "Server@" + std::string(attribute(o, reservation_ids::server)) + "@" + o.at.by.host);
}

void submitted(std::string& line, const reservation_occasion& o) {
  requestor(line, o);
  if (const auto seconds = attribute(o, reservation_ids::interactive); !seconds.empty()) put(line, "Interactive", seconds);
  if (const auto rule = attribute(o, reservation_ids::reserve_rrule); !rule.empty()) {
    put(line, "recurrence_rrule", rule);
    put(line, "timezone", attribute(o, reservation_ids::reserve_timezone));
  }
}

void confirmed(std::string& line, const reservation_occasion& o) {
  put(line, "requestor", confirmed_by(o));
  if (const auto* next = o.reservation.current()) {
    put_seconds(line, "start", next->start_ns);
    put_seconds(line, "end", next->end_ns);
    put(line, "nodes", next->exec_vnode);
  }
  if (o.reservation.kind == kind::STANDING) put(line, "count", std::to_string(o.reservation.count));
}

// The owner may always submit to its queue.
std::string users_with_owner(const reservation_occasion& o) {
  std::string users(attribute(o, reservation_ids::Authorized_Users));
  const std::string owner(o.reservation.owner());
  const auto all = values::split_list(users);
  if (std::find(all.begin(), all.end(), owner) == all.end()) users += (users.empty() ? "" : ",") + owner;
  return users;
}

// In PBS's order: sums, select, place, walltime.
void put_resources(std::string& line, const reservation_occasion& o) {
  const auto rank = [](std::string_view resource) { return resource == "select" ? 1 : resource == "place"  ? 2
                                                                                  : resource == "walltime" ? 3
                                                                                                           : 0; };
  for (int now = 0; now <= 3; ++now)
    for (const auto& e : o.reservation.attributes)
      if (e.id == reservation_ids::Resource_List && rank(e.resource) == now) put(line, "Resource_List", e.resource, e.value);
}

void began(std::string& line, const reservation_occasion& o) {
  const auto& r = o.reservation;
  put(line, "owner", r.owner());
  put(line, "name", r.name());
  put(line, "queue", r.id);
  put_seconds(line, "ctime", r.submitted_ns);
  if (const auto* window = r.current()) {
    put_seconds(line, "start", window->start_ns);
    put_seconds(line, "end", window->end_ns);
    put_seconds(line, "duration", window->end_ns - window->start_ns);
    put(line, "nodes", window->exec_vnode);
  }
  put(line, "Authorized_Users", users_with_owner(o));
  for (const auto& [id, name] : {std::pair(reservation_ids::Authorized_Groups, "Authorized_Groups"),
                                 std::pair(reservation_ids::Authorized_Hosts, "Authorized_Hosts")})
    if (const auto list = attribute(o, id); !list.empty()) put(line, name, list);
  put_resources(line, o);
}

constexpr reservation_rule reservation_rules[] = {
    // event                    letter only if     fields        blank at the end
    {reservation_event::SUBMITTED, 'U', asked_for, submitted, false},
    {reservation_event::SUBMITTED, 'Y', of_running_job, confirmed, false},
    {reservation_event::CONFIRMED, 'Y', always, confirmed, false},
    {reservation_event::ALTER_REQUESTED, 'Y', forced, confirmed, false},
    {reservation_event::DENIED, 'K', always, server_itself, false},
    {reservation_event::OCCURRENCE_BEGAN, 'B', always, began, true},
    {reservation_event::OCCURRENCE_ENDED, 'K', was_the_last, requestor, false},
    {reservation_event::DELETE_REQUESTED, 'k', by_owner, requestor, false},
    {reservation_event::DELETE_REQUESTED, 'K', by_other, requestor, false},
};

}  // namespace

bool is_confirmed(const reservation_occasion& o) {
  for (const auto& rule : reservation_rules)
    if (rule.event == o.event.which() && rule.letter == 'Y' && rule.applies(o)) return true;
  return false;
}

std::string confirmed_by(const reservation_occasion& o) {
  switch (o.reservation.kind) {
    case kind::MAINTENANCE: return std::string(o.reservation.owner());
    case kind::FROM_JOB:
      if (o.event.isSubmitted()) return "@";
      break;
    case kind::ADVANCE:
    case kind::STANDING:
    case kind::ASAP: break;
  }
  return "Scheduler@" + o.at.by.host;
}

void write_records(const reservation_occasion& o, const std::function<void(std::int64_t wall_s, std::string_view line)>& take) {
  for (const auto& rule : reservation_rules) {
    if (rule.event != o.event.which() || !rule.applies(o)) continue;
    std::string line = begun_line(o.at.seconds(), rule.letter, full_id(o.reservation));
    rule.put_fields(line, o);
    if (!rule.blank_at_end && line.ends_with(' ')) line.pop_back();
    take(o.at.seconds(), line);
  }
}

std::string full_id(const model::reservation_state& r) { return model::full_id(r, r.attributes.get(reservation_ids::server).value_or("")); }

}  // namespace annals::projections
