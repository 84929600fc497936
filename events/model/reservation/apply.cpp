// What the events of a reservation mean.
#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/changes.hpp"
#include "events/model/reservation/reservation.hpp"

namespace annals::model {

namespace ids = attributes::reservation;
using which = schema::ReservationEvent::Which;
using phase = reservation_phase;

namespace {

std::vector<occurrence> windows(capnp::List<schema::OccurrenceWindow>::Reader from) {
  std::vector<occurrence> all;
  for (auto w : from) all.push_back({w.getIndex(), w.getStartNs(), w.getEndNs(), {}});
  return all;
}

void take_later(reservation_state& r, capnp::List<std::uint32_t>::Reader gaps) {
  r.count = static_cast<std::uint32_t>(r.occurrences.size()) + gaps.size();
  if (gaps.size() == 0 || r.occurrences.empty()) return;
  r.later.before = r.occurrences.back();
  for (auto n = gaps.size(); n > 0; --n) r.later.gaps_s.push_back(gaps[n - 1]);
}

// They are in the order of their indices.
void put_places(reservation_state& r, capnp::List<schema::OccurrencePlace>::Reader places) {
  const auto before = [](const occurrence& o, std::uint32_t index) { return o.index < index; };
  for (auto p : places) {
    const auto known = std::lower_bound(r.occurrences.begin(), r.occurrences.end(), p.getIndex(), before);
    if (known != r.occurrences.end() && known->index == p.getIndex())
      *known = {p.getIndex(), p.getStartNs(), p.getEndNs(), schema::str(p.getExecVnode())};
  }
}

// The place of a running job is its own at once.
void take_place_of_job(reservation_state& r) {
  for (auto& o : r.occurrences) o.exec_vnode = r.attributes.get(ids::resv_nodes).value_or("");
  r.partition = r.attributes.get(ids::partition).value_or("");
  r.attributes.erase(ids::resv_nodes);
  r.attributes.erase(ids::partition);
  r.placed = true;
  r.phase = phase::confirmed;
}

void submitted(reservation_state& r, const event_place& at, schema::ReservationSubmitted::Reader e) {
  ANNALS_INVARIANT(r.phase == phase::none, "a reservation is submitted once");
  r.serial = at.stream;
  r.order = at.sequence;
  r.submitted_ns = at.wall_ns;
  r.phase = phase::unconfirmed;
  r.kind = e.getKind();
  r.id = schema::str(e.getId());
  apply_changes(schema::ObjectKind::RESERVATION, r.attributes, e.getAttributes());
  r.job = e.getJob();
  r.hosts = schema::texts(e.getHosts());
  r.occurrences = windows(e.getOccurrences());
  take_later(r, e.getLaterGapsS());
  if (r.kind == schema::ReservationKind::FROM_JOB) return take_place_of_job(r);
  r.answer_by_ns = e.getAnswerByNs();
  r.answer_since_ns = at.wall_ns;
  r.ask = reservation_ask{at.version, reservation_ask::kind::submission, r.occurrences, {}};
}

// An open window whose start was put off is closed until then.
void put_off(reservation_state& r, std::int64_t now_ns) {
  const auto* window = r.current();
  if (r.phase != phase::running || !window || window->start_ns <= now_ns) return;
  r.running = 0;
  r.phase = phase::confirmed;
}

void confirmed(reservation_state& r, const event_place& at, schema::ReservationConfirmed::Reader e) {
  if (r.change) {
    r.attributes = r.change->attributes;
    r.occurrences = r.change->occurrences;
    r.change.reset();
    r.change_denied = false;
  }
  put_places(r, e.getOccurrences());
  r.ask.reset();
  r.answer_by_ns = 0;
  r.lost.clear();
  r.in_conflict = false;
  r.retry_ns = 0;
  r.placed = true;
  r.scheduler = schema::str(e.getScheduler());
  r.partition = schema::str(e.getPartition());
  r.conflicts = schema::texts(e.getConflicts());
  if (r.phase == phase::unconfirmed) r.phase = phase::confirmed;
  put_off(r, at.wall_ns);
}

void alter_requested(reservation_state& r, const event_place& at, schema::ReservationAlterRequested::Reader e) {
  if (!r.attributes.has(ids::schedselect_orig))
    r.attributes.set(ids::schedselect_orig, std::string(r.attributes.get(ids::schedselect).value_or("")));
  reservation_change change{r.attributes, r.occurrences};
  apply_changes(schema::ObjectKind::RESERVATION, change.attributes, e.getChanges());
  std::vector<occurrence> wanted = windows(e.getOccurrences());
  for (auto& w : wanted)
    for (auto& o : change.occurrences)
      if (o.index == w.index) o = {w.index, w.start_ns, w.end_ns, o.exec_vnode};
  r.change_denied = false;
  if (e.getForce()) {  // it keeps its vnodes, whoever else has them
    r.attributes = std::move(change.attributes);
    r.occurrences = std::move(change.occurrences);
    return put_off(r, at.wall_ns);
  }
  r.change = std::move(change);
  r.answer_by_ns = e.getAnswerByNs();
  r.answer_since_ns = at.wall_ns;
  r.ask = reservation_ask{at.version, reservation_ask::kind::alteration, std::move(wanted), {}};
}

void degraded(reservation_state& r, const event_place& at, schema::ReservationDegraded::Reader e) {
  r.lost = schema::texts(e.getVnodes());
  r.in_conflict = e.getInConflict();
  if (r.retry_ns != e.getRetryNs()) r.retry_since_ns = at.wall_ns;
  r.retry_ns = e.getRetryNs();
  r.retried = true;
  if (!e.getAsks()) return;
  std::vector<occurrence> wanted(r.occurrences.begin() + r.over, r.occurrences.end());
  for (auto& w : wanted) w.exec_vnode.clear();
  r.ask = reservation_ask{at.version, reservation_ask::kind::other_place, std::move(wanted), {}};
}

// The wanted ones are those of the next occurrences that have no place; the last that is over is still shown.
void later_asked(reservation_state& r, const event_place& at, schema::ReservationLater::Reader e) {
  if (r.over > 1) {
    r.occurrences.erase(r.occurrences.begin(), r.occurrences.begin() + (r.over - 1));
    r.over = 1;
  }
  for (std::uint32_t n = 0; n < e.getCount() && !r.later.empty(); ++n) r.occurrences.push_back(r.later.take());
  r.later_retry_ns = e.getRetryNs();
  r.later_since_ns = at.wall_ns;
  r.ask = reservation_ask{at.version, reservation_ask::kind::later, {}, {}};
  for (auto o = r.occurrences.begin() + r.over; o != r.occurrences.end(); ++o)
    if (o->exec_vnode.empty()) r.ask->wanted.push_back(*o);
}

void later_placed(reservation_state& r, schema::ReservationConfirmed::Reader e) {
  put_places(r, e.getOccurrences());
  r.ask.reset();
  r.later_retry_ns = 0;
}

void occurrence_ended(reservation_state& r, std::uint32_t index) {
  while (r.over < r.occurrences.size() && r.occurrences[r.over].index <= index) ++r.over;
  if (r.over == r.occurrences.size() && !r.later.empty()) {  // nobody has answered for long
    r.occurrences.push_back(r.later.take());
    if (r.change) r.change->occurrences.push_back(r.occurrences.back());
  }
  r.running = 0;
  r.phase = r.over < r.occurrences.size() ? phase::confirmed : phase::being_deleted;
}

// Whatever it waited for, it waits no more.
void give_up(reservation_state& r) {
  r.ask.reset();
  r.change.reset();
  r.answer_by_ns = 0;
  r.retry_ns = 0;
}

}  // namespace

void apply(reservation_state& r, const event_place& at, schema::ReservationEvent::Reader event) {
  r.version = at.version;
  r.changed_ns = at.wall_ns;
  switch (event.which()) {
    case which::SUBMITTED: return submitted(r, at, event.getSubmitted());
    case which::CONFIRMED: return confirmed(r, at, event.getConfirmed());
    case which::REFUSED:
      if (!r.ask) return;
      if (r.ask->what == reservation_ask::kind::other_place || r.ask->what == reservation_ask::kind::later)
        r.ask.reset();  // it has one scheduler, and is asked again later
      else r.ask->refused_by.insert(schema::str(event.getRefused().getScheduler()));
      return;
    case which::DENIED:
      give_up(r);
      r.end_reason = schema::str(event.getDenied().getText());
      r.phase = phase::ended;
      return;
    case which::ALTER_REQUESTED: return alter_requested(r, at, event.getAlterRequested());
    case which::ALTER_DENIED:
      r.change_denied = true;
      r.change.reset();
      r.ask.reset();
      r.answer_by_ns = 0;
      return;
    case which::CHANGED: return apply_changes(schema::ObjectKind::RESERVATION, r.attributes, event.getChanged().getChanges());
    case which::OCCURRENCE_BEGAN:
      r.running = event.getOccurrenceBegan().getIndex();
      r.phase = phase::running;
      return;
    case which::OCCURRENCE_ENDED:
      occurrence_ended(r, event.getOccurrenceEnded().getIndex());
      if (r.phase == phase::being_deleted) give_up(r);
      return;
    case which::DEGRADED: return degraded(r, at, event.getDegraded());
    case which::RESTORED:
      r.lost.clear();
      r.in_conflict = false;
      r.retry_ns = 0;
      if (r.ask && r.ask->what == reservation_ask::kind::other_place) r.ask.reset();
      return;
    case which::DELETE_REQUESTED:
      give_up(r);
      r.deleted_by = at.by.at_host();
      r.end_reason = schema::str(event.getDeleteRequested().getText());
      r.phase = phase::being_deleted;
      return;
    case which::ENDED: r.phase = phase::ended; return;
    case which::LATER_ASKED: return later_asked(r, at, event.getLaterAsked());
    case which::LATER_PLACED: return later_placed(r, event.getLaterPlaced());
  }
}

}  // namespace annals::model
