// Changes of a reservation: names and users at once, times and size when a scheduler has room. Source: pbs guide, pbs_ralter;
// transcripts of PBS.
#include <algorithm>

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/select_rules.hpp"
#include "events/attributes/table.hpp"
#include "events/model/refuse.hpp"
#include "events/model/reservation/rules.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"

namespace annals::model {

namespace ids = attributes::reservation;
namespace pbs_error = values::pbs_error;

namespace {

struct one_change {
  attributes::attribute_id id = 0;
  std::string resource, value;
  bool derived = false;
};

struct alteration {
  std::vector<one_change> at_once;      // need no scheduler
  std::vector<one_change> with_answer;  // need one
  given_times times;
  attributes::resource_list asked;
  std::int64_t interactive = 0;
  bool changes_times() const { return times.start || times.end || times.duration; }
};

std::optional<rejection> take(alteration& d, schema::Attribute::Reader given, const stamp& now, const settings& settings) {
  const auto* row = attributes::find(schema::ObjectKind::RESERVATION, schema::text(given.getName()));
  if (!row) return refuse(pbs_error::undefined_attribute);
  const auto resource = schema::text(given.getResource());
  if (auto why = attributes::may_set(*row, resource, now.by.role, true, false, false, settings.resources)) return as_rejection(*why);
  if (row->id == ids::Resource_List && resource != "walltime") {
    d.asked[std::string(resource)] = schema::str(given.getValue());
    return std::nullopt;
  }
  const bool cleared = given.getValue().size() == 0 && row->id != ids::Reserve_Name;
  auto checked = cleared ? attributes::checked_text(std::string())
                         : attributes::check_value(*row, resource, schema::text(given.getValue()), settings.resources);
  if (!checked) return as_rejection(checked.error());
  switch (row->id) {
    case ids::reserve_start: d.times.start = values::parse_integer(*checked); break;
    case ids::reserve_end: d.times.end = values::parse_integer(*checked); break;
    case ids::reserve_duration: d.times.duration = values::parse_integer(*checked); break;
    case ids::Resource_List: d.times.duration = values::parse_duration(*checked); break;
    case ids::interactive: d.interactive = values::parse_integer(*checked).value_or(0); [[fallthrough]];
    case ids::Reserve_Name:
    case ids::Mail_Points:
    case ids::Mail_Users:
    case ids::Authorized_Users:
    case ids::Authorized_Groups: d.at_once.push_back({row->id, std::string(resource), *checked}); break;
    default: return refuse(pbs_error::no_support, "No support for requested service: a change of " + std::string(row->name));
  }
  return std::nullopt;
}

// What the times of the window are then: what is not given stays, but a duration says where the end is. An open window begins later
// only when it has no jobs: that the ledger says.
values::result<occurrence, rejection> new_window(const reservation_state& r, const occurrence& old, const alteration& d, const stamp& now) {
  given_times t = d.times;
  const auto old_start = old.start_ns / second_ns, old_end = old.end_ns / second_ns;
  if (!t.start && !(t.end && t.duration)) t.start = old_start;
  if (!t.end && !t.duration) t.end = old_end;
  const bool moves = t.start && *t.start != old_start;
  const auto window = window_of(t, moves ? now.seconds() : std::min(now.seconds(), old_start));
  // PBS looks for jobs before it looks at the times.
  if (!window) return moves && r.phase == reservation_phase::running ? refuse(pbs_error::reservation_not_empty) : window.error();
  if (window->end_s < now.seconds()) return refuse(pbs_error::bad_time);
  return occurrence{old.index, window->start_s * second_ns, window->end_s * second_ns, {}};
}

std::optional<rejection> meets_later_one(const reservation_state& r, const occurrence& window) {
  for (auto o = r.occurrences.begin() + r.over; o != r.occurrences.end(); ++o)
    if (o->index != window.index && o->start_ns < window.end_ns && window.start_ns < o->end_ns)
      return refuse(pbs_error::occurrence_conflict);
  if (!r.later.empty() && r.later.next().start_ns < window.end_ns) return refuse(pbs_error::occurrence_conflict);
  return std::nullopt;
}

// Fewer of the same chunks.
bool is_subset(std::string_view select, std::string_view original) {
  const auto wanted = values::parse_select(select);
  auto has = values::parse_select(original);
  if (!wanted || !has) return false;
  for (const auto& chunk : wanted->chunks) {
    const auto same = std::find_if(has->chunks.begin(), has->chunks.end(), [&](const auto& c) { return c.resources == chunk.resources; });
    if (same == has->chunks.end() || same->count < chunk.count) return false;
    same->count -= chunk.count;
  }
  return true;
}

std::optional<rejection> take_size(alteration& d, const reservation_state& r, const stamp& now, const settings& settings) {
  if (d.asked.empty()) return std::nullopt;
  const auto original = r.attributes.get(ids::schedselect_orig).value_or(r.attributes.get(ids::schedselect).value_or(""));
  const auto defaults = attributes::defaults_of(settings.server, {});
  auto done = attributes::complete_request(d.asked, defaults, settings.resources, attributes::asker(now.by.role));
  if (!done) return as_rejection(done.error());
  if (d.asked.size() > 1 || !d.asked.contains("select") || !is_subset(done->schedselect, original))
    return refuse(pbs_error::select_not_subset);
  for (const auto& [name, value] : done->resources)
    if (name != "place") d.with_answer.push_back({ids::Resource_List, name, value, name != "select"});
  d.with_answer.push_back({ids::schedselect, "", done->schedselect, true});
  return std::nullopt;
}

void fill(capnp::List<schema::Attribute>::Builder list, const std::vector<one_change>& changes) {
  for (unsigned i = 0; i < changes.size(); ++i) {
    list[i].setName(attributes::find(schema::ObjectKind::RESERVATION, changes[i].id)->name);
    list[i].setResource(changes[i].resource);
    list[i].setValue(changes[i].value);
    list[i].setDerived(changes[i].derived);
    if (changes[i].value.empty()) list[i].setOp(schema::AttributeOp::UNSET);
  }
}

event requested_event(const alteration& d, const occurrence& window, bool force, const stamp& now) {
  return make_event([&](schema::Event::Builder e) {
    auto a = e.initReservation().initAlterRequested();
    fill(a.initChanges(static_cast<unsigned>(d.with_answer.size())), d.with_answer);
    auto w = a.initOccurrences(1)[0];
    w.setIndex(window.index);
    w.setStartNs(window.start_ns);
    w.setEndNs(window.end_ns);
    a.setForce(force);
    a.setAnswerByNs(d.interactive < 0 ? now.wall_ns - d.interactive * second_ns : 0);
  });
}

}  // namespace

outcome decide_alteration(const reservation_state& r, schema::AlterReservation::Reader asked, const stamp& now, const settings& settings) {
  if (!may_act(r, now.by) || (asked.getForce() && !now.by.is_operator())) return refuse(pbs_error::unauthorized);
  const auto* old = r.current();
  if (!r.lives() || !old || r.change) return refuse(pbs_error::bad_state);
  alteration d;
  for (auto given : asked.getChanges())
    if (auto why = take(d, given, now, settings)) return *why;
  if (auto why = take_size(d, r, now, settings)) return *why;
  const bool needs_answer = d.changes_times() || !d.with_answer.empty();
  if (needs_answer && !r.placed) return refuse(pbs_error::bad_state);
  std::vector<event> events;
  if (!d.at_once.empty())
    events.push_back(make_event([&](schema::Event::Builder e) {
      fill(e.initReservation().initChanged().initChanges(static_cast<unsigned>(d.at_once.size())), d.at_once);
    }));
  if (needs_answer) {
    const auto window = new_window(r, *old, d, now);
    if (!window) return window.error();
    if (auto why = meets_later_one(r, *window)) return *why;
    d.with_answer.push_back(
        {ids::Resource_List, "walltime", values::print_duration((window->end_ns - window->start_ns) / second_ns), true});
    events.push_back(requested_event(d, *window, asked.getForce(), now));
  }
  outcome result(std::move(events));
  result.reply = full_id(r, settings.server_name);
  return result;
}

}  // namespace annals::model
