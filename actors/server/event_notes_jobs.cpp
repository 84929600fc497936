// Lines about jobs (event_notes.hpp).
#include <algorithm>
#include <utility>

#include "actors/server/event_notes.hpp"
#include "events/model/job/explained.hpp"
#include "events/model/usage.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/values/date_time.hpp"
#include "events/values/dependency.hpp"
#include "events/values/job_id.hpp"

namespace annals::actors {

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
  const char* state = e.getHolds().size() > 0 ? "H" : e.getExecutionTime() > 0 ? "W"
                                                                               : "Q";
  if (e.getRuns() > 0) to_.write(log_event::debug2, "Job", id, "dequeuing from " + queue + ", state Q");
  to_.write(log_event::debug2, "Job", id, "enqueuing into " + queue + ", state " + state + " hop 1");
  if (values::is_subjob(e.getNumber())) return;
  to_.write(log_event::job, "Job", id,
            "Job Queued at request of " + by + ", owner = " + schema::str(e.getOwner()) + ", job name = " + variable(e, "Job_Name") +
                ", queue = " + queue);
}

// Logs what the first host tells of a run: of its files and its limits.
void event_notes::note_step(const std::string& id, schema::RunEvent::Reader step) {
  if (step.isKillRequested()) return to_.write(log_event::job, "Job", id, schema::str(step.getKillRequested().getWhy()));
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

void event_notes::learn_job(std::uint64_t stream, schema::JobEvent::Reader event) {
  using which = schema::JobEvent::Which;
  switch (event.which()) {
    case which::QUEUED: about(stream).queue = queue_named(schema::str(event.getQueued().getQueue())); break;
    case which::MOVED: about(stream).queue = queue_named(schema::str(event.getMoved().getQueue())); break;
    case which::ASSIGNED: about(stream).runs = true; break;
    case which::EXITED:
    case which::START_FAILED:
    case which::REQUEUED: about(stream).runs = false; break;
    case which::DELETE_REQUESTED: about(stream).purged |= event.getDeleteRequested().getPurgeHistory(); break;
    case which::ENDED: about(stream).ended = true; break;
    case which::FORGOTTEN: jobs_.erase(stream); break;
    default: break;
  }
  job_names_.fold(stream, event);
}

event_notes::of_job& event_notes::about(std::uint64_t job) {
  if (!jobs_.contains(job)) jobs_.put(job, {});
  return *jobs_.find(job);
}

std::uint32_t event_notes::queue_named(std::string name) {
  const auto at = std::ranges::find(queues_, name);
  const auto place = static_cast<std::uint32_t>(at - queues_.begin());
  if (at == queues_.end()) queues_.push_back(std::move(name));
  return place;
}

// golden: job_states.txt
void event_notes::note_delete(const subject& of, const log::record& record, schema::JobDeleteRequested::Reader asked) {
  const auto job = about(record.get().getStream());
  if (job.ended) return note_line(of, log_event::debug, "Deleting job history upon request from " + of.by);
  // The server forgets the run by force of an operator, and by anybody else's it kills it.
  const bool forgets = job.runs && asked.getForce() && record.get().getWho().getRole() != schema::Role::USER;
  if (forgets) note_line(of, log_event::job, "Delete forced");
  else if (job.runs)
    note_line(of, log_event::job, std::string("Job sent signal ") + (asked.getForce() ? "SIGKILL" : "TermJob") + " on delete");
  note_line(of, log_event::job, "Job to be deleted at request of " + of.by);
  if (forgets) note_line(of, log_event::job, "Discard running job, Forced Delete ");
}

// It leaves its queue and the server. In state E where it is not kept: that it ended and left is one append.
void event_notes::note_forgotten(const subject& of, const log::record& record) {
  const auto r = record.get();
  const auto* job = jobs_.find(r.getStream());
  if (!job || !job->ended) return;  // a subjob that is its array's again
  const bool at_once = ended_.stream == r.getStream() && ended_.sequence + 1 == r.getSequence() && r.getCause() != ended_.sequence;
  if (at_once && job->purged) note_line(of, log_event::debug, "Also deleted job history");
  note_line(of, log_event::debug2, "dequeuing from " + queues_[job->queue] + ", state " + (at_once ? "E" : "F"));
}

void event_notes::note_job(const subject& of, const log::record& record, schema::JobEvent::Reader event) {
  using namespace log_event;
  using which = schema::JobEvent::Which;
  const auto& id = of.name;
  const auto& by = of.by;
  const auto stream = record.get().getStream();
  const bool by_scheduler = by.starts_with("Scheduler@");
  const auto line = [&](std::uint32_t bits, const std::string& text) { to_.write(bits, "Job", id, text); };
  const bool is_left_early = std::exchange(left_early_, {}) == id;
  switch (event.which()) {
    case which::QUEUED:
      note_queued(id, by, event.getQueued());
      // A subjob's are its array's.
      if (!values::is_subjob(event.getQueued().getNumber())) note_missing(of, schema::ObjectKind::JOB, event.getQueued().getAttributes());
      return;
    case which::ALTERED: {
      note_missing(of, schema::ObjectKind::JOB, event.getAltered().getChanges());
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
    case which::DELETE_REQUESTED: return note_delete(of, record, event.getDeleteRequested());
    case which::RERUN_REQUESTED:
      if (event.getRerunRequested().getForce()) line(job, "Discard running job, Force rerun ");
      return line(job, std::string(by_scheduler ? "Job Rerun" : "Job rerun") + " at request of " + by);
    case which::SIGNALLED:
      if (event.getSignalled().getCheckpoint()) return line(job, "job to be checkpointed at request of " + by);
      if (event.getSignalled().getLoadHost().size() > 0)
        return line(job, std::string(event.getSignalled().getStopped() ? "suspended" : "no longer suspended") + " for the load of host " +
                             schema::str(event.getSignalled().getLoadHost()));
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
      if (r.getComment().size() > 0) line(job, schema::str(r.getComment()));
      else if (r.getWaitUntil() > 0)  // of a subjob its array rests
        return line(job, "Job waits until " + values::print_log_date(r.getWaitUntil()) + " to be run again");
      return line(job, "Job requeued, Exit_status=" + std::to_string(r.getExitStatus()));
    }
    case which::ENDED:
      if (const auto reason = event.getEnded().getReason(); reason.size() > 0) line(job, schema::str(reason));
      if (const auto why = model::why_killed(schema::text(event.getEnded().getCommentSuffix())); !why.empty()) line(job, std::string(why));
      ended_ = {stream, record.get().getSequence()};
      return;
    case which::FORGOTTEN: return note_forgotten(of, record);
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
    default: return;
  }
}

}  // namespace annals::actors
