#include "actors/server/event_notes.hpp"

#include <sstream>

#include "events/values/date_time.hpp"
#include "events/values/duration.hpp"

namespace annals::actors {

using which = schema::Event::Which;

void event_notes::learn(const log::record& record) {
  const auto event = record.event();
  const auto stream = record.get().getStream();
  switch (event.which()) {
    case which::JOB_QUEUED: names_[stream] = schema::str(event.getJobQueued().getId()); break;
    case which::QUEUE_CREATED: names_[stream] = schema::str(event.getQueueCreated().getName()); break;
    case which::HOST_ADDED: names_[stream] = schema::str(event.getHostAdded().getName()); break;
    case which::HOOK_CREATED: names_[stream] = schema::str(event.getHookCreated().getName()); break;
    case which::SCHEDULER_CREATED: names_[stream] = schema::str(event.getSchedulerCreated().getName()); break;
    case which::JOB_FORGOTTEN: names_.erase(stream); break;
    default: break;
  }
}

void event_notes::note(const std::vector<log::record_ptr>& records) {
  const daemon_log::gathering lines(to_);
  for (const auto& r : records) note_one(*r);
}

void event_notes::note_one(const log::record& record) {
  const auto event = record.event();
  if (event.which() != which::JOB_FORGOTTEN) learn(record);
  const auto& name = names_[record.get().getStream()];
  const auto who = record.get().getWho();
  const std::string by = schema::str(who.getUser()) + "@" + schema::str(who.getHost());
  switch (record.get().getStreamKind()) {
    case schema::StreamKind::JOB:
      // What the server itself asks of a job when it stops has a line of its own (actors/gateway).
      if (who.getRole() != schema::Role::SERVER || (!event.isJobDeleteRequested() && !event.isJobRerunRequested())) note_job(name, by, event);
      break;
    case schema::StreamKind::QUEUE: note_object("Que", name, by, event); break;
    case schema::StreamKind::HOST: note_object("Node", name, by, event); break;
    case schema::StreamKind::SCHEDULER: note_object("Sched", name, by, event); break;
    case schema::StreamKind::SERVER: note_object("Svr", "PBS_Server", by, event); break;
    case schema::StreamKind::HOOK: note_object("Hook", name, by, event); break;
    case schema::StreamKind::RUN:
    case schema::StreamKind::PART: break;
  }
  if (event.which() == which::JOB_FORGOTTEN) learn(record);
}

namespace {

std::string holds_text(capnp::List<schema::HoldType>::Reader holds) {
  std::string text;
  for (auto h : holds) text += "uosp"[static_cast<unsigned>(h)];
  return text;
}

std::string usage_text(schema::Usage::Reader u) {
  return "resources_used.cpupercent=" + std::to_string(u.getCpuPercent()) +
         " resources_used.cput=" + values::print_duration(static_cast<std::int64_t>(u.getCpuSeconds())) +
         " resources_used.mem=" + std::to_string(u.getMemKb()) + "kb resources_used.ncpus=" + std::to_string(u.getNcpus()) +
         " resources_used.vmem=" + std::to_string(u.getVmemKb()) +
         "kb resources_used.walltime=" + values::print_duration(static_cast<std::int64_t>(u.getWallSeconds()));
}

std::string variable(schema::JobQueued::Reader q, std::string_view name) {
  for (auto a : q.getAttributes())
    if (schema::text(a.getName()) == name) return schema::str(a.getValue());
  return {};
}

}  // namespace

void event_notes::note_job(const std::string& id, const std::string& by, schema::Event::Reader event) {
  using namespace log_event;
  const auto line = [&](std::uint32_t bits, const std::string& text) { to_.write(bits, "Job", id, text); };
  // What PBS would mail to the job's owner.
  const auto lines = [&](const std::string& text) {
    std::string one;
    for (std::istringstream all(text); std::getline(all, one);) line(error | job | admin, one);
  };
  switch (event.which()) {
    case which::JOB_QUEUED: {
      const auto q = event.getJobQueued();
      const auto queue = schema::str(q.getQueue());
      line(debug2, "enqueuing into " + queue + ", state Q hop 1");
      return line(job, "Job Queued at request of " + by + ", owner = " + schema::str(q.getOwner()) +
                           ", job name = " + variable(q, "Job_Name") + ", queue = " + queue);
    }
    case which::JOB_ALTERED: return line(job, "Job Modified at request of " + by);
    case which::JOB_HELD: return line(job, "Holds " + holds_text(event.getJobHeld().getHolds()) + " set at request of " + by);
    case which::JOB_RELEASED:
      return line(job, "Holds " + holds_text(event.getJobReleased().getHolds()) + " released at request of " + by);
    case which::JOB_ASSIGNED:
      return line(job, "Job Run at request of " + by + " on exec_vnode " + schema::str(event.getJobAssigned().getExecVnode()));
    case which::FILES_STAGED_IN: {
      const auto s = event.getFilesStagedIn();
      line(debug2, "Staged " + std::to_string(s.getStaged()) + "/" + std::to_string(s.getAsked()) + " items in");
      if (s.getOk()) return;
      line(error | job | admin, "Stage In of files failed; job " + id + " will be tried again later");
      return lines(schema::str(s.getText()));
    }
    case which::JOB_START_FAILED:
      return line(error, "start failed: " + std::to_string(event.getJobStartFailed().getCode()) + " " + schema::str(event.getJobStartFailed().getText()));
    case which::JOB_DELETE_REQUESTED: return line(job, "Job to be deleted at request of " + by);
    case which::JOB_RERUN_REQUESTED:
      if (event.getJobRerunRequested().getForce()) line(job, "Discard running job, Force rerun ");
      return line(job, "Job rerun at request of " + by);
    case which::JOB_SIGNALLED:
      line(debug, "signal job request received");
      return line(job, "job signaled with " + schema::str(event.getJobSignalled().getSignal()) + " by " + by);
    case which::JOB_SUSPENDED: {
      const std::string how = event.getJobSuspended().getAdmin() ? "admin-suspend" : "suspend";
      line(debug, "signal job request received");
      line(admin, how + " job by " + by);
      return line(job, "job signaled with " + how + " by " + by);
    }
    case which::JOB_RESUME_WANTED:
      line(debug, "signal job request received");
      return line(admin, "resume job by " + by);
    case which::JOB_RESUMED: {
      const std::string how = event.getJobResumed().getAdmin() ? "admin-resume" : "resume";
      line(debug, "signal job request received");
      line(admin, how + " job by " + by);
      return line(job, "job signaled with " + how + " by " + by);
    }
    case which::JOB_MOVED: {
      const auto queue = schema::str(event.getJobMoved().getQueue());
      line(debug2, "enqueuing into " + queue + ", state Q hop 1");
      return line(job, "Job moved to " + queue + " at request of " + by);
    }
    case which::JOB_MESSAGED: return line(job, "Message request to job status 0");
    case which::JOB_EXITED: {
      const auto x = event.getJobExited();
      line(debug, "Obit received momhop:1 serverhop:1 state:R substate:42");
      return line(job_usage, "Exit_status=" + std::to_string(x.getExitStatus()) + " " + usage_text(x.getUsage()));
    }
    case which::OUTPUT_DELIVERED:
      if (event.getOutputDelivered().getOk()) return;
      line(error | job | admin, "Post job file processing error; job " + id + " on host " + by.substr(by.find('@') + 1));
      return lines(schema::str(event.getOutputDelivered().getText()));
    case which::JOB_REQUEUED: {
      const auto r = event.getJobRequeued();
      if (r.getWaitUntil() > 0) return line(job, "Job waits until " + values::print_log_date(r.getWaitUntil()) + " to be run again");
      if (r.getComment().size() > 0) line(job, schema::str(r.getComment()));
      return line(job, "Job requeued, Exit_status=" + std::to_string(r.getExitStatus()));
    }
    case which::JOB_ENDED: return line(debug2, "dequeuing, state 5");
    default: return;
  }
}

void event_notes::note_changes(const char* cls, const std::string& name, const std::string& by,
                               capnp::List<schema::Attribute>::Reader changes) {
  bool set = false, unset = false;
  for (auto c : changes) (c.getOp() == schema::AttributeOp::UNSET ? unset : set) = true;
  if (set) to_.write(log_event::admin, cls, name, "attributes set:  at request of " + by);
  if (unset) to_.write(log_event::admin, cls, name, "attributes unset:  at request of " + by);
  for (auto c : changes) {
    const auto resource = schema::str(c.getResource());
    to_.write(log_event::admin, cls, name, "attributes set: " + schema::str(c.getName()) + (resource.empty() ? "" : "." + resource) + " = " + schema::str(c.getValue()));
  }
}

void event_notes::note_object(const char* cls, const std::string& name, const std::string& by, schema::Event::Reader event) {
  using namespace log_event;
  const auto line = [&](std::uint32_t bits, const std::string& text) { to_.write(bits, cls, name, text); };
  switch (event.which()) {
    case which::QUEUE_CREATED:
    case which::SCHEDULER_CREATED:
    case which::HOOK_CREATED:
    case which::VNODE_CREATED: return line(admin, "created at request of " + by);
    case which::QUEUE_DELETED:
    case which::SCHEDULER_DELETED:
    case which::HOOK_DELETED:
    case which::HOST_REMOVED: return line(admin, "deleted at request of " + by);
    case which::QUEUE_CHANGED: return note_changes(cls, name, by, event.getQueueChanged().getChanges());
    case which::SERVER_CHANGED: return note_changes(cls, name, by, event.getServerChanged().getChanges());
    case which::SCHEDULER_CHANGED: return note_changes(cls, name, by, event.getSchedulerChanged().getChanges());
    case which::HOOK_CHANGED: return note_changes(cls, name, by, event.getHookChanged().getChanges());
    case which::HOOK_IMPORTED: return line(admin, schema::str(event.getHookImported().getContentType()) + " imported at request of " + by);
    case which::VNODE_CHANGED: return note_changes(cls, schema::str(event.getVnodeChanged().getVnode()), by, event.getVnodeChanged().getChanges());
    case which::HOST_CAME_UP: return line(system, "node up");
    case which::HOST_WENT_DOWN: return line(system, "node down: " + schema::str(event.getHostWentDown().getText()));
    case which::SCHEDULER_STARTED: return line(sched, "scheduler connected");
    case which::SCHEDULER_STOPPED: return line(sched, "scheduler disconnected: " + schema::str(event.getSchedulerStopped().getText()));
    default: return;
  }
}

}  // namespace annals::actors
