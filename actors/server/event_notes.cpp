#include "actors/server/event_notes.hpp"

#include <algorithm>
#include <utility>

#include "events/attributes/table.hpp"
#include "events/attributes/without_effect.hpp"
#include "events/model/usage.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/values/date_time.hpp"
#include "events/values/dependency.hpp"
#include "events/values/job_id.hpp"
#include "events/values/number.hpp"

namespace annals::actors {

void event_notes::learn(const log::record& record) {
  const auto event = record.event();
  const auto stream = record.get().getStream();
  if (schema::is(event, schema::JobEvent::FORGOTTEN)) names_.erase(stream);
  if (const auto name = schema::name_given(event)) names_[stream] = schema::str(*name);
  if (event.isReservation()) learn_reservation(stream, event.getReservation());
  if (event.isServer() && follows_mask_) learn_mask(event.getServer());
  if (!event.isHost()) return;
  const auto e = event.getHost();
  if (e.isVnodeCreated() && schema::text(e.getVnodeCreated().getName()) != names_[stream])
    further_vnodes_[stream].insert(schema::str(e.getVnodeCreated().getName()));
  if (e.isVnodeDeleted() && further_vnodes_.contains(stream)) further_vnodes_[stream].erase(schema::str(e.getVnodeDeleted().getName()));
  if (e.isRemoved()) further_vnodes_.erase(stream);
}

void event_notes::learn_mask(schema::ServerEvent::Reader event) {
  if (!event.isChanged()) return;
  for (const auto change : event.getChanged().getChanges())
    if (change.getName() == "log_events")
      if (const auto mask = values::parse_integer(schema::text(change.getValue()))) to_.set_mask(static_cast<std::uint32_t>(*mask));
}

void event_notes::learn_reservation(std::uint64_t stream, schema::ReservationEvent::Reader event) {
  if (event.isDenied() || event.isEnded()) {
    reservations_.erase(stream);
    names_.erase(stream);
  }
  if (!event.isSubmitted()) return;
  const auto e = event.getSubmitted();
  reservation r{schema::str(e.getId()), e.getKind() == schema::ReservationKind::STANDING ? e.getOccurrences().size() : 0,
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
  const auto& name = names_[record.get().getStream()];
  const auto who = record.get().getWho();
  const std::string by = schema::str(who.getUser()) + "@" + schema::str(who.getHost());
  switch (event.which()) {
    case schema::Event::JOB: {
      // What the server itself asks of a job when it stops has a line of its own: the gateway writes it.
      const auto e = event.getJob();
      if (who.getRole() != schema::Role::SERVER || (!e.isDeleteRequested() && !e.isRerunRequested())) note_job(name, by, e);
      break;
    }
    case schema::Event::QUEUE: note_queue({"Que", name, by}, event.getQueue()); break;
    case schema::Event::HOST: note_host({"Node", name, by}, record); break;
    case schema::Event::SCHEDULER: note_scheduler({"Sched", name, by}, event.getScheduler()); break;
    case schema::Event::SERVER:
      if (event.getServer().isChanged())
        note_changes({"Svr", "PBS_Server", by}, schema::ObjectKind::SERVER, event.getServer().getChanged().getChanges());
      break;
    case schema::Event::HOOK: note_hook({"Hook", name, by}, event.getHook()); break;
    case schema::Event::RESERVATION: note_reservation(record.get().getStream(), event.getReservation()); break;
    case schema::Event::RUN:
    case schema::Event::PART:
    case schema::Event::LOG: break;
  }
  if (last) learn(record);
}

namespace {

std::string holds_text(capnp::List<schema::HoldType>::Reader holds) {
  std::string text;
  for (auto h : holds) text += "uosp"[static_cast<unsigned>(h)];
  return text;
}

// " resources_used.cpupercent=0 resources_used.cput=00:00:00 ..."
std::string usage_text(schema::Usage::Reader usage) {
  const auto told = model::read_usage(usage);
  std::string text;
  for (const auto& used : told.empty() ? model::measured_usage({}) : told)
    text += " resources_used." + std::string(used.resource) + "=" + std::string(used.value);
  return text;
}

// A step of dependencies: jobs that this one no longer waits for. Nothing: it is none.
std::optional<std::vector<std::string>> dependency_steps(capnp::List<schema::Attribute>::Reader changes) {
  std::vector<std::string> met;
  bool step = false, counted = false;
  for (auto c : changes) {
    const auto entry = values::parse_dependencies(schema::text(c.getValue()));
    step |= c.getOp() == schema::AttributeOp::INCREMENT || c.getOp() == schema::AttributeOp::DECREMENT;
    if (c.getOp() != schema::AttributeOp::DECREMENT || !entry) continue;
    counted |= entry->front().type == values::dependency_type::on;
    if (!counted) met.push_back(entry->front().job.substr(0, entry->front().job.find('@')));
  }
  return step ? std::optional(met) : std::nullopt;
}

// The subjob alone that somebody asks to delete and that has not begun, with the id of its array: "12[3].borg". Several have no line.
std::optional<std::string> deleted_in_queue(const std::string& array_id, schema::SubjobsAsked::Reader e) {
  auto id = values::parse_job_id(array_id);
  if (!id || e.getRerun() || e.getWaitingCount() != 1 || e.getIndices() != e.getWaiting()) return std::nullopt;
  id->form = values::id_form::subjob;
  id->indices = schema::str(e.getWaiting());
  return values::print(*id);
}

std::string variable(schema::JobQueued::Reader q, std::string_view name) {
  for (auto a : q.getAttributes())
    if (schema::text(a.getName()) == name) return schema::str(a.getValue());
  return {};
}

}  // namespace

// What PBS would mail to the job's owner.
void event_notes::note_lines(const std::string& id, const std::string& text) {
  if (!text.empty()) to_.write(log_event::error | log_event::job | log_event::admin, "Job", id, text);
}

// A subjob comes to its queue when it is run, and was in it until then if it was run before.
void event_notes::note_queued(const std::string& id, const std::string& by, schema::JobQueued::Reader e) {
  const auto queue = schema::str(e.getQueue());
  if (e.getRuns() > 0) to_.write(log_event::debug2, "Job", id, "dequeuing from " + queue + ", state Q");
  to_.write(log_event::debug2, "Job", id, "enqueuing into " + queue + ", state Q hop 1");
  if (values::is_subjob(e.getNumber())) return;
  to_.write(log_event::job, "Job", id,
            "Job Queued at request of " + by + ", owner = " + schema::str(e.getOwner()) + ", job name = " + variable(e, "Job_Name") +
                ", queue = " + queue);
}

// What its primary tells of a run: of its files only.
void event_notes::note_step(const std::string& id, schema::RunEvent::Reader step) {
  if (step.isSisterLeft()) left_early_ = id;  // what it had is free, if the run goes on without it: the next event
  if (!step.isFilesStagedIn()) return;
  const auto s = step.getFilesStagedIn();
  to_.write(log_event::debug2, "Job", id, "Staged " + std::to_string(s.getStaged()) + "/" + std::to_string(s.getAsked()) + " items in");
  if (s.getOk()) return;
  to_.write(log_event::error | log_event::job | log_event::admin, "Job", id,
            "Stage In of files failed; job " + id + " will be tried again later");
  note_lines(id, schema::str(s.getText()));
}

// RD-88, RD-89: a run that goes on is rid of a host.
void event_notes::note_cleared(const std::string& id, schema::VnodesReleased::Reader released) {
  std::set<std::string> vnodes;
  std::uint32_t cpus = 0;
  for (const auto& part : model::parts_of(schema::text(released.getExecVnode()))) {
    vnodes.emplace(part.vnode);
    cpus += part.cpus;
  }
  for (auto each : released.getHosts()) {
    const auto host = schema::str(each);
    for (const auto& vnode : vnodes) to_.write(log_event::debug2, "Node", host, "clearing job " + id + " from node " + vnode);
    to_.write(log_event::debug2, "Node", host, "deallocating " + std::to_string(cpus) + " cpu(s) from job " + id);
  }
}

void event_notes::note_job(const std::string& id, const std::string& by, schema::JobEvent::Reader event) {
  using namespace log_event;
  using which = schema::JobEvent::Which;
  const bool by_scheduler = by.starts_with("Scheduler@");
  const auto line = [&](std::uint32_t bits, const std::string& text) { to_.write(bits, "Job", id, text); };
  const bool is_left_early = std::exchange(left_early_, {}) == id;
  switch (event.which()) {
    case which::QUEUED: return note_queued(id, by, event.getQueued());
    case which::ALTERED: {
      const auto steps = dependency_steps(event.getAltered().getChanges());
      if (!steps) return line(job, "Job Modified at request of " + by);
      for (const auto& other : *steps) line(job, "Dependency on job " + other + " released.");
      return;
    }
    case which::HELD: return line(job, "Holds " + holds_text(event.getHeld().getHolds()) + " set at request of " + by);
    case which::RELEASED:
      return line(job, "Holds " + holds_text(event.getReleased().getHolds()) + " released at request of " + by);
    case which::ASSIGNED:
      return line(job, "Job Run at request of " + by + " on exec_vnode " + schema::str(event.getAssigned().getExecVnode()));
    case which::RUN_STEP: return note_step(id, event.getRunStep().getStep());
    case which::START_FAILED:
      return line(
          error, "start failed: " + std::to_string(event.getStartFailed().getCode()) + " " + schema::str(event.getStartFailed().getText()));
    case which::DELETE_REQUESTED: return line(job, "Job to be deleted at request of " + by);
    case which::RERUN_REQUESTED:
      if (event.getRerunRequested().getForce()) line(job, "Discard running job, Force rerun ");
      return line(job, std::string(by_scheduler ? "Job Rerun" : "Job rerun") + " at request of " + by);
    case which::SIGNALLED:
      if (event.getSignalled().getCheckpoint()) return line(job, "job to be checkpointed at request of " + by);
      line(debug, "signal job request received");
      return line(job, "job signaled with " + schema::str(event.getSignalled().getSignal()) + " by " + by);
    case which::SUSPENDED: {
      const std::string how = event.getSuspended().getAdmin() ? "admin-suspend" : "suspend";
      line(debug, "signal job request received");
      line(admin, how + " job by " + by);
      return line(job, "job signaled with " + how + " by " + by);
    }
    case which::RESUME_WANTED:
      if (by_scheduler) return;  // it suspended the job
      line(debug, "signal job request received");
      return line(admin, "resume job by " + by);
    case which::RESUMED: {
      const std::string how = event.getResumed().getAdmin() ? "admin-resume" : "resume";
      line(debug, "signal job request received");
      line(admin, how + " job by " + by);
      return line(job, "job signaled with " + how + " by " + by);
    }
    case which::MOVED: {
      const auto queue = schema::str(event.getMoved().getQueue());
      const bool runs = std::any_of(reservations_.begin(), reservations_.end(),
                                    [&](const auto& r) { return r.second.of_running_job && r.second.id.starts_with(queue + "."); });
      line(debug2, "enqueuing into " + queue + ", state " + (runs ? "R" : "Q") + " hop 1");
      if (by.starts_with("pbs_server@")) return;  // a job comes to the reservation that was made for it
      return line(job, "Job moved to " + queue + " at request of " + by);
    }
    case which::MESSAGED: return line(job, "Message request to job status 0");
    case which::EXITED: {
      const auto x = event.getExited();
      line(debug, "Obit received momhop:1 serverhop:1 state:R substate:42");
      return line(job_usage, "Exit_status=" + std::to_string(x.getExitStatus()) + usage_text(x.getUsage()));
    }
    case which::OUTPUT_DELIVERED:
      if (event.getOutputDelivered().getOk()) return;
      line(error | job | admin, "Post job file processing error; job " + id + " on host " + by.substr(by.find('@') + 1));
      return note_lines(id, schema::str(event.getOutputDelivered().getText()));
    case which::REQUEUED: {
      const auto r = event.getRequeued();
      if (r.getWaitUntil() > 0) return line(job, "Job waits until " + values::print_log_date(r.getWaitUntil()) + " to be run again");
      if (r.getComment().size() > 0) line(job, schema::str(r.getComment()));
      return line(job, "Job requeued, Exit_status=" + std::to_string(r.getExitStatus()));
    }
    case which::ENDED:
      if (const auto reason = event.getEnded().getReason(); reason.size() > 0) line(job, schema::str(reason));
      return line(debug2, "dequeuing, state 5");
    case which::REDUCED:
      if (event.getReduced().getRequest() > 0) line(job, "Job Modified at request of " + by);
      if (event.getReduced().getStageOut()) left_early_ = id;
      return;
    case which::VNODES_RELEASED:
      if (!is_left_early) return;
      left_early_ = id;  // more of its hosts may follow
      return note_cleared(id, event.getVnodesReleased());
    case which::SUBJOBS_ASKED:
      if (const auto one = deleted_in_queue(id, event.getSubjobsAsked()))
        to_.write(log_event::job, "Job", *one, "Job to be deleted at request of " + by);
      return;
    case which::WAIT_ENDED:
    case which::STARTED:
    case which::USAGE_REPORTED:
    case which::REQUEST_DONE:
    case which::VNODES_TAKEN:
    case which::FORGOTTEN:
    case which::SUBJOB_BEGAN:
    case which::SUBJOB_LEFT:
    case which::REORDERED: return;
  }
}

// What was set and has no effect: said by name, so that nobody waits for it.
void event_notes::note_missing(const subject& of, schema::ObjectKind kind, capnp::List<schema::Attribute>::Reader changes) {
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
      if (vnode != of.name) return note_line(of, log_event::system, "autocreated vnode " + vnode);
      return note_line(of, log_event::admin, "created at request of " + of.by);
    }
    case which::VNODE_CHANGED:
      return note_changes({of.cls, schema::str(event.getVnodeChanged().getVnode()), of.by}, schema::ObjectKind::NODE,
                          event.getVnodeChanged().getChanges());
    case which::VNODE_DELETED: {
      const auto vnode = schema::str(event.getVnodeDeleted().getName());
      if (vnode != of.name) note_line({of.cls, vnode, of.by}, log_event::admin, "deleted at request of " + of.by);
      return;
    }
    case which::ADDED: return;
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
    case which::FAIRSHARE_POLICY:
    case which::CYCLE_BEGAN:
    case which::CYCLE_REASONS:
    case which::PROPOSAL_REFUSED:
    case which::CYCLE_ENDED: return;
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
    case which::RAN: return;
  }
}

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
    case which::CONFIRMED:
    case which::REFUSED:
    case which::ALTER_REQUESTED:
    case which::ALTER_DENIED:
    case which::CHANGED:
    case which::OCCURRENCE_BEGAN:
    case which::RESTORED:
    case which::DELETE_REQUESTED:
    case which::ENDED: return;
  }
}

}  // namespace annals::actors
