// What a reservation looks like: its state in PBS's words, its attributes as pbs_rstat shows them, when something is due.
#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/reservation/rules.hpp"
#include "events/values/duration.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/number.hpp"

namespace annals::model {

namespace ids = attributes::reservation;
using phase = reservation_phase;

namespace {

std::string seconds_text(std::int64_t ns) { return std::to_string(ns / second_ns); }

}  // namespace

const occurrence* reservation_state::current() const { return over < occurrences.size() ? &occurrences[over] : nullptr; }

bool reservation_state::lacks_places() const {
  return kind == schema::ReservationKind::STANDING && placed && lives() && !(ask && ask->what == reservation_ask::kind::later) &&
         std::any_of(occurrences.begin() + over, occurrences.end(), [](const occurrence& o) { return o.exec_vnode.empty(); });
}

std::size_t chunks_of(const attributes::attribute_set& a) {
  const auto chunks = values::parse_integer(a.get(ids::Resource_List, "nodect").value_or("1")).value_or(1);
  return static_cast<std::size_t>(std::max<std::int64_t>(chunks, 1));
}

std::size_t occurrences_ahead(const attributes::attribute_set& a) {
  return std::clamp(limits::chunks_ahead_max / chunks_of(a), limits::occurrences_ahead_min, limits::occurrences_ahead_max);
}

std::uint32_t later_to_ask(const reservation_state& r) {
  const std::size_t there = r.occurrences.size() - r.over, wanted = occurrences_ahead(r.attributes);
  return static_cast<std::uint32_t>(there < wanted ? std::min(wanted - there, r.later.gaps_s.size()) : 0);
}

// Half of them at a time: a question costs about the same for one as for fifty.
bool needs_later(const reservation_state& r) {
  if (r.kind != schema::ReservationKind::STANDING || !r.placed || !r.lives() || r.ask || r.change) return false;
  return r.lacks_places() || (!r.later.empty() && r.occurrences.size() - r.over <= occurrences_ahead(r.attributes) / 2);
}

std::string_view reservation_state::owner() const { return attributes.get(ids::Reserve_Owner).value_or(""); }
std::string_view reservation_state::owner_name() const { return owner().substr(0, owner().find('@')); }
std::string_view reservation_state::name() const { return attributes.get(ids::Reserve_Name).value_or(""); }

std::string full_id(const reservation_state& r, std::string_view server_name) { return r.id + "." + std::string(server_name); }

std::uint64_t number_of(std::string_view id) {
  std::uint64_t number = 0;
  if (!id.empty()) std::from_chars(id.data() + 1, id.data() + id.size(), number);
  return number;
}

std::string_view state_name(const reservation_state& r) {
  switch (r.phase) {
    case phase::none: return "RESV_NONE";
    case phase::unconfirmed: return "RESV_UNCONFIRMED";
    case phase::confirmed:
      if (r.change) return "RESV_BEING_ALTERED";
      return r.degraded() || r.lacks_places() ? "RESV_DEGRADED" : "RESV_CONFIRMED";
    case phase::running: return r.change ? "RESV_BEING_ALTERED" : "RESV_RUNNING";
    case phase::being_deleted: return "RESV_BEING_DELETED";
    case phase::ended: return "RESV_DELETED";
  }
  return {};
}

int substate_of(const reservation_state& r) {
  switch (r.phase) {
    case phase::none: return 0;
    case phase::unconfirmed: return 1;
    case phase::confirmed: return r.degraded() || r.lacks_places() ? (r.in_conflict ? 12 : 10) : 2;
    case phase::running: return r.degraded() || r.lacks_places() ? (r.in_conflict ? 12 : 10) : 5;
    case phase::being_deleted: return 7;
    case phase::ended: return 8;
  }
  return 0;
}

attributes::attribute_set reservation_row(const reservation_state& r, std::string_view server_name) {
  auto row = r.attributes;
  row.set(ids::reserve_type, attributes::find(schema::ObjectKind::RESERVATION, ids::reserve_type)->default_value);
  row.set(ids::reserve_state, state_name(r));
  row.set(ids::reserve_substate, std::to_string(substate_of(r)));
  const auto* shown = r.current();
  if (!shown && !r.occurrences.empty()) shown = &r.occurrences.back();
  if (shown) {
    row.set(ids::reserve_start, seconds_text(shown->start_ns));
    row.set(ids::reserve_end, seconds_text(shown->end_ns));
    row.set(ids::reserve_duration, seconds_text(shown->end_ns - shown->start_ns));
    row.set(ids::Resource_List, "walltime", values::print_duration((shown->end_ns - shown->start_ns) / second_ns));
    if (!shown->exec_vnode.empty() && !r.in_conflict) row.set(ids::resv_nodes, shown->exec_vnode);
    if (r.kind == schema::ReservationKind::STANDING) row.set(ids::reserve_index, std::to_string(shown->index));
  }
  row.set(ids::queue, r.id);
  row.set(ids::server, server_name);
  row.set(ids::ctime, seconds_text(r.submitted_ns));
  row.set(ids::mtime, seconds_text(r.changed_ns));
  if (!row.has(ids::reserve_count)) row.set(ids::reserve_count, std::to_string(r.count));
  if (r.lacks_places()) row.set(ids::reserve_retry, seconds_text(r.later_retry_ns));
  if (r.retried) row.set(ids::reserve_retry, seconds_text(r.retry_ns));
  if (r.placed) row.set(ids::partition, r.partition.empty() ? no_partition_shown : std::string_view(r.partition));
  return row;
}

std::vector<std::string> vnodes_of(std::string_view exec_vnode) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  values::exec_vnode_reader parts(exec_vnode);
  for (values::exec_vnode_reader::part p; parts.next(p);)
    if (seen.insert(p.vnode).second) names.emplace_back(p.vnode);
  return names;
}

std::vector<std::string> vnodes_to_come(const reservation_state& r) {
  std::vector<std::string> names;
  std::string_view read;
  for (auto o = r.occurrences.begin() + r.over; o != r.occurrences.end(); ++o) {
    if (o->exec_vnode == read) continue;
    read = o->exec_vnode;
    values::exec_vnode_reader parts(read);
    for (values::exec_vnode_reader::part p; parts.next(p);) names.emplace_back(p.vnode);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  }
  return names;
}

bool may_act(const reservation_state& r, const requester& by) { return by.is_operator() || by.user == r.owner_name(); }

effect_id id_of(const reservation_wake& effect) { return {"wake", {}, static_cast<std::uint64_t>(effect.wall_ns)}; }

std::vector<reservation_wake> pending_effects(const reservation_state& r, const settings&) {
  std::vector<reservation_wake> owed;
  if (!r.lives()) return owed;
  if (r.ask && r.answer_by_ns != 0) owed.push_back({r.answer_by_ns, r.answer_since_ns});
  if (const auto* window = r.current()) {
    // One that is made as soon as there is room has no window of its own yet.
    const bool has_times = r.placed || r.kind != schema::ReservationKind::ASAP;
    if (r.phase == phase::confirmed) owed.push_back({window->start_ns});
    else if (has_times) owed.push_back({window->end_ns});
  }
  if (r.degraded() && r.retry_ns != 0 && !r.ask) owed.push_back({r.retry_ns, r.retry_since_ns});
  if (needs_later(r)) owed.push_back({r.later_retry_ns, r.later_since_ns});
  return owed;
}

}  // namespace annals::model
