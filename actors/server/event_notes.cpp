#include "actors/server/event_notes.hpp"

#include <algorithm>
#include <utility>

#include "events/attributes/table.hpp"
#include "events/attributes/without_effect.hpp"
#include "events/values/date_time.hpp"
#include "events/values/number.hpp"

namespace annals::actors {

void event_notes::learn(const log::record& record) {
  const auto event = record.event();
  const auto stream = record.get().getStream();
  if (event.isJob()) return learn_job(stream, event.getJob());
  if (const auto name = schema::name_given(event)) names_[stream] = schema::str(*name);
  if (event.isReservation()) learn_reservation(stream, event.getReservation());
  if (event.isServer()) learn_mask(event.getServer());
  if (!event.isHost()) return;
  const auto e = event.getHost();
  if (e.isVnodeCreated() && schema::text(e.getVnodeCreated().getName()) != names_[stream])
    further_vnodes_[stream].insert(schema::str(e.getVnodeCreated().getName()));
  if (e.isVnodeDeleted() && further_vnodes_.contains(stream)) further_vnodes_[stream].erase(schema::str(e.getVnodeDeleted().getName()));
  if (e.isRemoved()) further_vnodes_.erase(stream);
}

std::string event_notes::name_of(const log::record& record) const {
  const auto stream = record.get().getStream();
  if (record.event().isJob()) return job_names_.id(stream).value_or("");
  const auto known = names_.find(stream);
  return known == names_.end() ? std::string() : known->second;
}

void event_notes::learn_mask(schema::ServerEvent::Reader event) {
  if (!event.isChanged()) return;
  for (const auto change : event.getChanged().getChanges())
    if (change.getName() == "log_events")
      if (const auto mask = values::parse_integer(schema::text(change.getValue()))) set_mask(*mask);
}

void event_notes::set_mask(std::int64_t mask) {
  mask_ = mask;
  if (follows_mask_) to_.set_mask(static_cast<std::uint32_t>(mask));
}

void event_notes::restored() {
  if (mask_) set_mask(*mask_);
}

void event_notes::learn_reservation(std::uint64_t stream, schema::ReservationEvent::Reader event) {
  if (event.isDenied() || event.isEnded()) {
    reservations_.erase(stream);
    names_.erase(stream);
  }
  if (const auto known = reservations_.find(stream); known != reservations_.end()) {
    auto& r = known->second;
    if (event.isConfirmed()) r.answers_alter = std::exchange(r.alters, false);
    if (event.isAlterRequested() || event.isAlterDenied()) r.alters = event.isAlterRequested();
  }
  if (!event.isSubmitted()) return;
  const auto e = event.getSubmitted();
  const bool stands = e.getKind() == schema::ReservationKind::STANDING;
  reservation r{schema::str(e.getId()), stands ? e.getOccurrences().size() + e.getLaterGapsS().size() : 0,
                e.getKind() == schema::ReservationKind::FROM_JOB};
  for (auto a : e.getAttributes())
    if (a.getName() == "server") r.id += "." + schema::str(a.getValue());
  reservations_[stream] = std::move(r);
}

void event_notes::note(const std::vector<log::record_ptr>& records) {
  const daemon_log::gathering lines(to_);
  for (const auto& r : records) note_one(*r);
}

void event_notes::note_one(const log::record& record) {
  const auto event = record.event();
  const bool last = schema::is(event, schema::JobEvent::FORGOTTEN) ||
                    (event.isReservation() && (event.getReservation().isDenied() || event.getReservation().isEnded()));
  if (!last) learn(record);
  const auto name = name_of(record);
  const auto who = record.get().getWho();
  const std::string by = schema::str(who.getUser()) + "@" + schema::str(who.getHost());
  switch (event.which()) {
    case schema::Event::JOB: {
      // What the server itself asks of a job when it stops has a line of its own: the gateway writes it.
      const auto e = event.getJob();
      if (who.getRole() != schema::Role::SERVER || (!e.isDeleteRequested() && !e.isRerunRequested()))
        note_job({"Job", name, by}, record, e);
      break;
    }
    case schema::Event::QUEUE: note_queue({"Que", name, by}, event.getQueue()); break;
    case schema::Event::HOST: note_host({"Node", name, by}, record); break;
    case schema::Event::SCHEDULER: note_scheduler({"Sched", name, by}, event.getScheduler()); break;
    case schema::Event::SERVER: note_server(by, event.getServer()); break;
    case schema::Event::HOOK: note_hook({"Hook", name, by}, event.getHook()); break;
    case schema::Event::RESERVATION: note_reservation(record.get().getStream(), event.getReservation()); break;
    case schema::Event::RUN:
    case schema::Event::PART:
    case schema::Event::LOG: break;
  }
  if (last) learn(record);
}

// What was set and has no effect: said by name, so that nobody waits for it.
void event_notes::note_missing(const subject& of, schema::ObjectKind kind, capnp::List<schema::Attribute>::Reader changes) {
  if (!to_.wants(log_event::error)) return;
  for (auto c : changes) {
    const auto* row = attributes::find(kind, schema::text(c.getName()));
    if (!row || c.getOp() == schema::AttributeOp::UNSET || schema::text(c.getValue()) == row->default_value) continue;
    if (const auto part = attributes::missing_for(kind, row->id); !part.empty())
      note_line(of, log_event::error, std::string(row->name) + " has no effect: there is no " + std::string(part) + " in this release");
  }
}

void event_notes::note_changes(const subject& of, schema::ObjectKind kind, capnp::List<schema::Attribute>::Reader changes) {
  bool set = false, unset = false;
  for (auto c : changes) (c.getOp() == schema::AttributeOp::UNSET ? unset : set) = true;
  if (set) note_line(of, log_event::admin, "attributes set:  at request of " + of.by);
  if (unset) note_line(of, log_event::admin, "attributes unset:  at request of " + of.by);
  for (auto c : changes) {
    const auto resource = schema::str(c.getResource());
    note_line(of, log_event::admin,
              "attributes set: " + schema::str(c.getName()) + (resource.empty() ? "" : "." + resource) + " = " + schema::str(c.getValue()));
  }
  note_missing(of, kind, changes);
}

void event_notes::note_line(const subject& of, std::uint32_t bits, const std::string& text) { to_.write(bits, of.cls, of.name, text); }

void event_notes::note_server(const std::string& by, schema::ServerEvent::Reader event) {
  using which = schema::ServerEvent::Which;
  switch (event.which()) {
    case which::CHANGED: return note_changes({"Svr", "PBS_Server", by}, schema::ObjectKind::SERVER, event.getChanged().getChanges());
    case which::RESOURCE_CREATED: return note_definition(by, event.getResourceCreated(), true);
    case which::RESOURCE_CHANGED: return note_definition(by, event.getResourceChanged(), false);
    case which::RESOURCE_DELETED:
      note_line({"Resc", schema::str(event.getResourceDeleted().getName()), by}, log_event::admin, "deleted at request of " + by);
      return note_known_to_hooks("mgr_resource_delete");
    default: return;
  }
}

void event_notes::note_definition(const std::string& by, schema::ResourceDefined::Reader resource, bool created) {
  const subject of{"Resc", schema::str(resource.getName()), by};
  if (created) note_line(of, log_event::admin, "created at request of " + by);
  if (resource.getFlags().size() > 0) note_line(of, log_event::admin, "attributes set: flag = " + schema::str(resource.getFlags()));
  note_line(of, log_event::admin, "attributes set: type = " + schema::str(resource.getType()));
  note_known_to_hooks(created ? "mgr_resource_create" : "mgr_resource_set");
}

// Tools wait for PBS's words before they let hooks use a resource. Nothing restarts here: the next run of a hook knows it.
void event_notes::note_known_to_hooks(const char* what) {
  to_.write(log_event::debug2, "Hook", what, "Restarting Python interpreter as resourcedef file has changed.");
}

void event_notes::note_queue(const subject& of, schema::QueueEvent::Reader event) {
  using which = schema::QueueEvent::Which;
  switch (event.which()) {
    case which::CREATED: return note_line(of, log_event::admin, "created at request of " + of.by);
    case which::CHANGED: return note_changes(of, schema::ObjectKind::QUEUE, event.getChanged().getChanges());
    case which::DELETED: return note_line(of, log_event::admin, "deleted at request of " + of.by);
  }
}

// A host whose MoM has told which vnodes it has.
void event_notes::note_vnodes(const subject& of, const log::record& record) {
  const auto reported = record.event().getHost().getCameUp().getVnodes();
  note_line(
      of, log_event::system,
      "Mom reporting " + std::to_string(reported.size()) + " vnodes as of " + values::print_date(record.get().getWallNs() / 1'000'000'000));
  const auto known = further_vnodes_.find(record.get().getStream());
  if (known == further_vnodes_.end()) return;
  auto stale = known->second;
  for (auto v : reported) stale.erase(schema::str(v.getName()));
  for (const auto& vnode : stale) note_line(of, log_event::system, "vnode " + vnode + " is stale");
}

void event_notes::note_host(const subject& of, const log::record& record) {
  using which = schema::HostEvent::Which;
  const auto event = record.event().getHost();
  switch (event.which()) {
    case which::CAME_UP:
      note_vnodes(of, record);
      return note_line(of, log_event::system, "node up");
    case which::WENT_DOWN: return note_line(of, log_event::system, "node down: " + schema::str(event.getWentDown().getText()));
    case which::REMOVED: return note_line(of, log_event::admin, "deleted at request of " + of.by);
    case which::VNODE_CREATED: {
      const auto vnode = schema::str(event.getVnodeCreated().getName());
      const bool reported = record.get().getWho().getRole() == schema::Role::MOM;
      if (vnode != of.name && reported) return note_line(of, log_event::system, "autocreated vnode " + vnode);
      return note_line({of.cls, vnode, of.by}, log_event::admin, "created at request of " + of.by);
    }
    case which::VNODE_CHANGED:
      return note_changes({of.cls, schema::str(event.getVnodeChanged().getVnode()), of.by}, schema::ObjectKind::NODE,
                          event.getVnodeChanged().getChanges());
    case which::VNODE_DELETED: {
      const auto vnode = schema::str(event.getVnodeDeleted().getName());
      if (vnode != of.name) note_line({of.cls, vnode, of.by}, log_event::admin, "deleted at request of " + of.by);
      return;
    }
    case which::VNODES_REFUSED: return note_line(of, log_event::error, schema::str(event.getVnodesRefused().getText()));
    default: return;
  }
}

void event_notes::note_scheduler(const subject& of, schema::SchedulerEvent::Reader event) {
  using which = schema::SchedulerEvent::Which;
  switch (event.which()) {
    case which::CREATED: return note_line(of, log_event::admin, "created at request of " + of.by);
    case which::CHANGED: return note_changes(of, schema::ObjectKind::SCHEDULER, event.getChanged().getChanges());
    case which::DELETED: return note_line(of, log_event::admin, "deleted at request of " + of.by);
    case which::STARTED: return note_line(of, log_event::sched, "scheduler connected");
    case which::STOPPED: return note_line(of, log_event::sched, "scheduler disconnected: " + schema::str(event.getStopped().getText()));
    case which::START_FAILED:
      return note_line(of, log_event::error, "scheduler not started: " + schema::str(event.getStartFailed().getText()));
    case which::FAIRSHARE_SET:
      return note_line(of, log_event::admin,
                       "fairshare usage of " + schema::str(event.getFairshareSet().getEntity()) + " set at request of " + of.by);
    case which::FAIRSHARE_DECAYED: return note_line(of, log_event::admin, "fairshare usage decayed at request of " + of.by);
    case which::FAIRSHARE_TRIMMED: return note_line(of, log_event::admin, "fairshare usage trimmed at request of " + of.by);
    default: return;
  }
}

void event_notes::note_hook(const subject& of, schema::HookEvent::Reader event) {
  using which = schema::HookEvent::Which;
  switch (event.which()) {
    case which::CREATED: return note_line(of, log_event::admin, "created at request of " + of.by);
    case which::CHANGED: return note_changes(of, schema::ObjectKind::HOOK, event.getChanged().getChanges());
    case which::IMPORTED:
      return note_line(of, log_event::admin, schema::str(event.getImported().getContentType()) + " imported at request of " + of.by);
    case which::DELETED: return note_line(of, log_event::admin, "deleted at request of " + of.by);
    default: return;
  }
}

namespace {

// " start=Sat Nov 21 02:18:00 2026 end=Sat Nov 21 02:38:00 2026": those of them that are there.
std::string times_in(capnp::List<schema::Attribute>::Reader attributes) {
  std::string out;
  for (const auto& [name, word] : {std::pair("reserve_start", " start="), std::pair("reserve_end", " end=")})
    for (auto a : attributes)
      if (const auto seconds = a.getName() == name ? values::parse_integer(schema::text(a.getValue())) : std::nullopt)
        out += word + values::print_date(*seconds);
  return out;
}

}  // namespace

void event_notes::note_reservation(std::uint64_t stream, schema::ReservationEvent::Reader event) {
  using which = schema::ReservationEvent::Which;
  const auto& r = reservations_[stream];
  const auto line = [&](std::uint32_t bits, const std::string& text) { to_.write(bits, "Resv", r.id, text); };
  switch (event.which()) {
    case which::DENIED:
      line(log_event::job, "Reservation denied");
      return line(log_event::debug, "reservation deleted");
    case which::OCCURRENCE_ENDED:
      if (r.occurrences == 0) return;
      return line(log_event::debug, "reached end of occurrence " + std::to_string(event.getOccurrenceEnded().getIndex()) + "/" +
                                        std::to_string(r.occurrences));
    case which::DEGRADED:
      if (const auto retry = event.getDegraded().getRetryNs(); retry != 0)
        line(log_event::debug2, "An attempt to reconfirm reservation will be made on " + values::print_date(retry / 1'000'000'000));
      return;
    case which::SUBMITTED:
      line(log_event::resv, "New reservation submitted" + times_in(event.getSubmitted().getAttributes()));
      return note_missing({"Resv", r.id, r.id}, schema::ObjectKind::RESERVATION, event.getSubmitted().getAttributes());
    case which::CONFIRMED: return line(log_event::resv, r.answers_alter ? "Reservation alter confirmed" : "Reservation confirmed");
    case which::ALTER_REQUESTED:
      return line(log_event::resv, "Attempting to modify reservation" + times_in(event.getAlterRequested().getChanges()));
    default: return;
  }
}

}  // namespace annals::actors
