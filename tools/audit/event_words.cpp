// A sentence for each kind of event that people ask about. Kinds without one are printed by their fields.
#include <iomanip>
#include <sstream>

#include "events/log/clock_step.hpp"
#include "events/model/job/explained.hpp"
#include "events/model/usage.hpp"
#include "events/model/vnodes/allocation_change.hpp"
#include "events/values/date_time.hpp"
#include "events/values/duration.hpp"
#include "tools/audit/event_text.hpp"

namespace annals::audit {
namespace {

std::string run_text(std::uint32_t run) { return "run " + std::to_string(run); }

// ": text", or nothing where there is none.
std::string after_colon(capnp::Text::Reader text) { return text.size() > 0 ? ": " + schema::str(text) : ""; }

std::string usage_text(schema::Usage::Reader usage) {
  const auto used = model::read_usage(usage);
  return "cput " + std::string(used.get("cput").value_or("00:00:00")) + ", mem " + std::string(used.get("mem").value_or("0kb")) +
         ", walltime " + std::string(used.get("walltime").value_or("00:00:00"));
}

std::string holds_text(capnp::List<schema::HoldType>::Reader holds) {
  constexpr std::string_view names[] = {"user", "operator", "system", "bad password"};
  std::string text;
  for (auto h : holds) {
    const auto at = static_cast<std::size_t>(h);
    text += (text.empty() ? "" : ", ") + std::string(at < std::size(names) ? names[at] : "unknown");
  }
  return (text.empty() ? "no" : text) + " hold" + (holds.size() > 1 ? "s" : "");
}

std::string changes_text(capnp::List<schema::Attribute>::Reader changes) {
  std::string text;
  for (auto c : changes) text += (text.empty() ? "" : ", ") + attribute_text(c);
  return text;
}

std::string queued_words(schema::JobQueued::Reader e) {
  std::string name, select;
  for (auto a : e.getAttributes()) {
    if (schema::text(a.getName()) == "Job_Name") name = schema::str(a.getValue());
    if (schema::text(a.getName()) == "Resource_List" && schema::text(a.getResource()) == "select") select = schema::str(a.getValue());
  }
  std::string text = (name.empty() ? "" : name + " ") + "of " + schema::str(e.getOwner()) + " in " + schema::str(e.getQueue());
  if (e.getIndices().size() > 0) text += ", subjobs " + schema::str(e.getIndices());
  if (!select.empty()) text += ", select " + select;
  if (e.getHolds().size() > 0) text += ", " + holds_text(e.getHolds());
  if (e.getExecutionTime() > 0) text += ", not before " + time_text(e.getExecutionTime() * 1'000'000'000).substr(0, 19);
  return text;
}

std::string assigned_words(schema::JobAssigned::Reader e) {
  const auto shrunk = e.getWalltimeSeconds();
  return run_text(e.getRun()) + " on " + schema::str(e.getExecVnode()) +
         (shrunk > 0 ? " for " + values::print_duration(static_cast<std::int64_t>(shrunk)) : "") +
         (e.getScheduler().size() == 0 ? ", by qrun" : "");
}

std::string delivered_words(schema::OutputDelivered::Reader e) {
  return (e.getOk() ? "output is in its place" : "output could not be delivered") + after_colon(e.getText());
}

std::string delete_words(schema::JobDeleteRequested::Reader e) {
  return std::string("to be deleted") + (e.getForce() ? ", by force" : "") + (e.getPurgeHistory() ? ", history too" : "");
}

std::string subjob_text(std::uint32_t index) { return "subjob " + std::to_string(index); }

std::string left_words(schema::SubjobLeft::Reader e) {
  const auto what = subjob_text(e.getIndex());
  if (e.getRequeued()) return what + " is to be run again, " + run_text(e.getRun()) + " is over" + after_colon(e.getComment());
  return what + (e.getFailed() ? " has failed in " : " has ended in ") + run_text(e.getRun());
}

std::string asked_words(schema::SubjobsAsked::Reader e) {
  const auto waiting = e.getWaitingCount();
  return "subjobs " + schema::str(e.getIndices()) + (e.getRerun() ? " to be run again" : " to be deleted") +
         (e.getForce() ? ", by force" : "") +
         (waiting > 0 ? "; " + std::to_string(waiting) + " had not begun: " + schema::str(e.getWaiting()) : "");
}

// A subjob has a comment then and does not wait, its array rests.
bool waits_for_files(schema::JobRequeued::Reader e) { return e.getWaitUntil() > 0 && e.getComment().size() == 0; }

std::string requeued_words(schema::JobRequeued::Reader e) {
  std::string text = run_text(e.getRun()) + " is over, exit status " + std::to_string(e.getExitStatus());
  if (waits_for_files(e)) text += ", its files could not be staged in: waits until " + values::print_log_date(e.getWaitUntil());
  if (e.getHolds().size() > 0) text += ", now with " + holds_text(e.getHolds());
  return text + after_colon(e.getComment());
}

std::string reasons_words(schema::CycleReasons::Reader e) {
  const auto jobs = e.getJobs().size();
  std::string text = std::to_string(jobs) + (jobs == 1 ? " job" : " jobs");
  for (auto t : e.getTexts()) text += "; " + schema::str(t);
  return text;
}

std::string hook_words(schema::HookRan::Reader e) {
  constexpr std::string_view verdicts[] = {"accepted", "rejected", "ended with an error", "was killed at its alarm"};
  const auto at = static_cast<std::size_t>(e.getRun().getVerdict());
  return schema::str(e.getRun().getEvent()) + " for " + schema::str(e.getSubject()) + " " +
         std::string(at < std::size(verdicts) ? verdicts[at] : "unknown") + after_colon(e.getRun().getMessage());
}

std::string used_words(schema::HookUsed::Reader e) {
  std::string text;
  for (auto c : e.getChanges()) {
    const bool gone = c.getOp() == schema::AttributeOp::UNSET;
    text += (text.empty() ? "" : ", ") + schema::str(c.getResource()) + (gone ? " is measured again" : "=" + schema::str(c.getValue()));
  }
  return "hooks say what was used: " + text;
}

std::string sisters_words(schema::SistersAsked::Reader e) {
  std::string text;
  for (auto h : e.getHosts()) text += (text.empty() ? "" : ", ") + schema::str(h);
  return text + " asked to join";
}

// Words of an end that has more to say than its exit status. The fields of others say all.
std::string settled_words(schema::TaskSettled::Reader e) {
  if (!e.getOver() || !e.getStarted() || e.getText().size() == 0) return {};
  return (e.getTask() == 1 ? "the program" : "task " + std::to_string(e.getTask())) + " has ended, exit status " +
         std::to_string(e.getExitStatus()) + after_colon(e.getText());
}

// Of a run and its hosts: in its primary's log, and what the primary tells the server.
std::string run_words(schema::RunEvent::Reader event) {
  using which = schema::RunEvent::Which;
  switch (event.which()) {
    case which::RECEIVED:
      return run_text(event.getReceived().getRun()) + " of " + schema::str(event.getReceived().getJob()) + " was ordered";
    case which::PROGRAM_STARTING: return "the program is about to be started";
    case which::PROGRAM_STARTED:
      return "the program runs, pid " + std::to_string(event.getProgramStarted().getPid()) + ", session " +
             std::to_string(event.getProgramStarted().getSession());
    case which::REFUSED: return "refused, code " + std::to_string(event.getRefused().getCode()) + after_colon(event.getRefused().getText());
    case which::KILL_REQUESTED: {
      const auto e = event.getKillRequested();
      return schema::str(e.getSignal()) + (e.getWhy().size() > 0 ? ", " + schema::str(e.getWhy()) : ", the server asked for it");
    }
    case which::PROGRAM_ENDED:
      return "exit status " + std::to_string(event.getProgramEnded().getExitStatus()) + "; " +
             usage_text(event.getProgramEnded().getUsage());
    case which::OUTPUT_PLACED: return delivered_words(event.getOutputPlaced());
    case which::REQUEST_RECEIVED: return "told, number " + std::to_string(event.getRequestReceived().getId());
    case which::REQUEST_DONE:
      return "done, number " + std::to_string(event.getRequestDone().getId()) +
             (event.getRequestDone().getCheckpointed() ? ": checkpointed" : "");
    case which::LEFT: return "the server knows everything";
    case which::SISTERS_ASKED: return sisters_words(event.getSistersAsked());
    case which::SISTER_JOINED: return schema::str(event.getSisterJoined().getHost()) + " joined";
    case which::SISTER_FAILED: {
      const auto e = event.getSisterFailed();
      const bool in_prologue = e.getWhat() == schema::SisterStep::StartStep::EXEC_PROLOGUE;
      return schema::str(e.getHost()) + (in_prologue ? " failed in execjob_prologue, code " : " failed, code ") +
             std::to_string(e.getCode()) + after_colon(e.getText());
    }
    case which::ALLOCATION_REDUCED: {
      const auto e = event.getAllocationReduced();
      return "goes on with " + schema::str(e.getExecVnode()) + ", without " + schema::str(e.getReleased()) + ", as " +
             schema::str(e.getBy()) + " asked";
    }
    case which::PROLOGUE_ASKED: return "every host runs execjob_prologue hooks";
    case which::SISTER_READY: return "execjob_prologue hooks of " + schema::str(event.getSisterReady().getHost()) + " are over";
    case which::LAUNCH_WAIT_ENDED: return "no longer waiting for execjob_prologue hooks";
    case which::JOIN_WAIT_ENDED: return "no longer waiting for hosts to join";
    case which::SISTER_LEFT:
      return event.getSisterLeft().getAbandoned() ? schema::str(event.getSisterLeft().getHost()) + " was given up"
                                                  : "the job is gone from " + schema::str(event.getSisterLeft().getHost());
    case which::FILES_STAGED_IN: {
      const auto e = event.getFilesStagedIn();
      return std::to_string(e.getStaged()) + " of " + std::to_string(e.getAsked()) + " files staged in" + after_colon(e.getText());
    }
    case which::DISCARDED: return "the run was given up at once";
    case which::HOOK_RAN: return hook_words(event.getHookRan());
    case which::HOOK_USED: return used_words(event.getHookUsed());
    case which::KILL_SENT: return schema::str(event.getKillSent().getSignal()) + " was sent";
    case which::TERM_DELAY_ENDED: return "still there after the term delay: SIGTERM again";
    case which::KILL_DELAY_ENDED: return "still there after the kill delay: SIGKILL";
    case which::SISTER_AWAY:
      return "no link to " + schema::str(event.getSisterAway().getHost()) +
             (event.getSisterAway().getSilent() ? " for so long that its tasks are given up" : "");
    case which::SISTER_BACK: return schema::str(event.getSisterBack().getHost()) + " is within reach again";
    case which::TICKET_LAPSED: return "the ticket has lapsed before every host was asked";
    case which::TICKET_RENEWED: return "a fresh ticket came";
    case which::TASK_SETTLED: return settled_words(event.getTaskSettled());
    case which::SISTERS_USED:
    case which::TASK_ASKED: break;
  }
  return {};
}

// Of a part of a job, in the log of its host.
std::string part_words(schema::PartEvent::Reader event) {
  using which = schema::PartEvent::Which;
  switch (event.which()) {
    case which::JOINED: return "joined " + schema::str(event.getJoined().getJob()) + " of " + schema::str(event.getJoined().getPrimary());
    case which::JOIN_REFUSED: return "could not join" + after_colon(event.getJoinRefused().getText());
    case which::LEFT: return "nothing of the job is left";
    case which::HOOK_RAN: return hook_words(event.getHookRan());
    case which::HOOK_USED: return used_words(event.getHookUsed());
    case which::UPDATED: return "was told that the run goes on with less";
    case which::RESIZED: return event.getResized().getAccepted() ? "hooks confine it to what it has left" : "";
    case which::SET_UP:
    case which::TASK_STARTING:
    case which::TASK_STARTED:
    case which::TASK_ENDED:
    case which::LEAVE_ASKED: break;
  }
  return {};
}

std::string released_words(schema::VnodesReleased::Reader e) {
  const auto what = run_text(e.getRun()) + " releases " + schema::str(e.getExecVnode());
  switch (e.getWhy()) {
    case schema::ReleaseReason::LEFT: return what;
    case schema::ReleaseReason::ABANDONED: return what + "; nobody knows whether it is gone from there";
    case schema::ReleaseReason::SUSPENDED: return what + " until it goes on";
    case schema::ReleaseReason::REDUCED: return what + " and goes on without it";
  }
  return what;
}

std::string reduced_words(schema::JobReduced::Reader e) {
  return run_text(e.getRun()) + (e.getStageOut() ? " stages its files out with " : " goes on with ") + schema::str(e.getExecVnode()) +
         (model::ends_phase(e) ? ", without " + schema::str(e.getReleased()) : "");
}

std::string load_words(schema::JobSignalled::Reader e) {
  const std::string what = e.getStopped() ? " is suspended for the load of host " : " is no longer suspended for the load of host ";
  return run_text(e.getRun()) + what + schema::str(e.getLoadHost());
}

std::string job_words(schema::JobEvent::Reader event) {
  using which = schema::JobEvent::Which;
  switch (event.which()) {
    case which::QUEUED: return queued_words(event.getQueued());
    case which::ALTERED: return changes_text(event.getAltered().getChanges());
    case which::HELD: return holds_text(event.getHeld().getHolds()) + after_colon(event.getHeld().getComment());
    case which::RELEASED:
      return holds_text(event.getReleased().getHolds()) + " released" + after_colon(event.getReleased().getComment());
    case which::WAIT_ENDED: return "its execution time has come";
    case which::ASSIGNED: return assigned_words(event.getAssigned());
    case which::STARTED: {
      const auto e = event.getStarted();
      return run_text(e.getRun()) + " is running, session " + std::to_string(e.getSession());
    }
    case which::START_FAILED: {
      const auto e = event.getStartFailed();
      return run_text(e.getRun()) + " did not start, code " + std::to_string(e.getCode()) + after_colon(e.getText());
    }
    case which::USAGE_REPORTED: return run_text(event.getUsageReported().getRun()) + ": " + usage_text(event.getUsageReported().getUsage());
    case which::DELETE_REQUESTED: return delete_words(event.getDeleteRequested());
    case which::RERUN_REQUESTED:
      if (event.getRerunRequested().getPreempted()) return "to be run again, to make room for another job";
      return event.getRerunRequested().getForce() ? "to be run again, by force" : "to be run again";
    case which::EXITED: {
      const auto e = event.getExited();
      return run_text(e.getRun()) + " ended, exit status " + std::to_string(e.getExitStatus()) + "; " + usage_text(e.getUsage());
    }
    case which::OUTPUT_DELIVERED: return delivered_words(event.getOutputDelivered());
    case which::VNODES_TAKEN:
      return run_text(event.getVnodesTaken().getRun()) + " takes " + schema::str(event.getVnodesTaken().getExecVnode());
    case which::REDUCED: return reduced_words(event.getReduced());
    case which::VNODES_RELEASED: return released_words(event.getVnodesReleased());
    case which::REQUEUED: return requeued_words(event.getRequeued());
    case which::ENDED: {
      const auto e = event.getEnded();
      const auto why = model::why_killed(schema::text(e.getCommentSuffix()));
      if (!why.empty()) return "finished, exit status " + std::to_string(e.getExitStatus()) + ": " + std::string(why);
      if (e.getHasExitStatus()) return "finished, exit status " + std::to_string(e.getExitStatus());
      return "finished without having run to an end" + after_colon(e.getReason());
    }
    case which::FORGOTTEN: return "no longer in the history";
    case which::SUBJOB_BEGAN:
      return subjob_text(event.getSubjobBegan().getIndex()) + " begins, " + run_text(event.getSubjobBegan().getRun());
    case which::SUBJOB_LEFT: return left_words(event.getSubjobLeft());
    case which::SUBJOBS_ASKED: return asked_words(event.getSubjobsAsked());
    case which::SIGNALLED:
      if (event.getSignalled().getCheckpoint()) return run_text(event.getSignalled().getRun()) + " is to be checkpointed and to end";
      if (event.getSignalled().getLoadHost().size() > 0) return load_words(event.getSignalled());
      return run_text(event.getSignalled().getRun()) + " gets signal " + schema::str(event.getSignalled().getSignal());
    case which::MESSAGED: return "a message for its output: " + schema::str(event.getMessaged().getText());
    case which::SUSPENDED:
      return run_text(event.getSuspended().getRun()) +
             (event.getSuspended().getAdmin() ? " is suspended for maintenance" : " is suspended");
    case which::RESUME_WANTED: return "to go on when there is room";
    case which::RESUMED: return run_text(event.getResumed().getRun()) + " goes on";
    case which::MOVED:
      return "moved to " + schema::str(event.getMoved().getQueue()) +
             (event.getMoved().getChanges().size() == 0 ? "" : "; " + changes_text(event.getMoved().getChanges()));
    case which::REORDERED: return "another place in its queue, rank " + std::to_string(event.getReordered().getQueueRank());
    case which::REQUEST_DONE: return "the host did what it was told, number " + std::to_string(event.getRequestDone().getRequest());
    case which::RUN_STEP: return run_words(event.getRunStep().getStep());
  }
  return {};
}

std::string server_words(schema::ServerEvent::Reader event) {
  using which = schema::ServerEvent::Which;
  switch (event.which()) {
    case which::CHANGED: return changes_text(event.getChanged().getChanges());
    case which::STARTED:
    case which::STOPPED:
    case which::RESOURCE_CREATED:
    case which::RESOURCE_CHANGED:
    case which::RESOURCE_DELETED: break;
  }
  return {};
}

std::string queue_words(schema::QueueEvent::Reader event) {
  using which = schema::QueueEvent::Which;
  switch (event.which()) {
    case which::CHANGED: return changes_text(event.getChanged().getChanges());
    case which::CREATED:
    case which::DELETED: break;
  }
  return {};
}

std::string host_words(schema::HostEvent::Reader event) {
  using which = schema::HostEvent::Which;
  switch (event.which()) {
    case which::WENT_DOWN: return schema::str(event.getWentDown().getText());
    case which::VNODES_REFUSED: return schema::str(event.getVnodesRefused().getText());
    case which::VNODE_CHANGED:
      return schema::str(event.getVnodeChanged().getVnode()) + ": " + changes_text(event.getVnodeChanged().getChanges());
    case which::ADDED:
    case which::CAME_UP:
    case which::REMOVED:
    case which::VNODE_CREATED:
    case which::VNODE_DELETED: break;
  }
  return {};
}

std::string amount_words(double amount) {
  std::ostringstream out;
  out << std::setprecision(15) << amount;
  return out.str();
}

std::string scheduler_words(schema::SchedulerEvent::Reader event) {
  using which = schema::SchedulerEvent::Which;
  switch (event.which()) {
    case which::CHANGED: return changes_text(event.getChanged().getChanges());
    case which::STOPPED: return schema::str(event.getStopped().getText());
    case which::CYCLE_BEGAN:
      return "cycle " + std::to_string(event.getCycleBegan().getNumber()) + after_colon(event.getCycleBegan().getTrigger());
    case which::CYCLE_REASONS: return reasons_words(event.getCycleReasons());
    case which::CYCLE_ENDED: {
      const auto e = event.getCycleEnded();
      return "cycle " + std::to_string(e.getNumber()) + ": " + std::to_string(e.getStarted()) + " of " + std::to_string(e.getConsidered()) +
             " jobs started, " + std::to_string(e.getElapsedUs()) + " us";
    }
    case which::START_FAILED: return schema::str(event.getStartFailed().getText());
    case which::PROPOSAL_REFUSED: {
      const auto e = event.getProposalRefused();
      return (e.getCycle() > 0 ? "cycle " + std::to_string(e.getCycle()) + ": " : std::string()) + "a job may not run on " +
             schema::str(e.getExecVnode()) + after_colon(e.getReason());
    }
    case which::FAIRSHARE_POLICY: {
      const auto e = event.getFairsharePolicy();
      if (!e.getOn()) return "no fairshare";
      return schema::str(e.getUsage()) + " of each " + schema::str(e.getEntity()) + ", times " + amount_words(e.getDecayFactor()) +
             " every " + std::to_string(e.getDecaySeconds()) + " s";
    }
    case which::FAIRSHARE_SET:
      return schema::str(event.getFairshareSet().getEntity()) + " = " + amount_words(event.getFairshareSet().getUsage());
    case which::FAIRSHARE_TRIMMED: {
      std::string names;
      for (const auto name : event.getFairshareTrimmed()) names += (names.empty() ? "" : ", ") + schema::str(name);
      return names;
    }
    case which::FAIRSHARE_DECAYED:
    case which::CREATED:
    case which::DELETED:
    case which::STARTED: break;
  }
  return {};
}

std::string hook_object_words(schema::HookEvent::Reader event) {
  using which = schema::HookEvent::Which;
  switch (event.which()) {
    case which::CHANGED: return changes_text(event.getChanged().getChanges());
    case which::RAN: return hook_words(event.getRan());
    case which::CREATED:
    case which::IMPORTED:
    case which::DELETED: break;
  }
  return {};
}

std::string list_words(capnp::List<capnp::Text>::Reader names) {
  std::string text;
  for (const auto name : names) text += (text.empty() ? "" : ", ") + schema::str(name);
  return text;
}

std::string place_words(schema::ReservationConfirmed::Reader e) {
  std::string text = e.getScheduler().size() > 0 ? "by " + schema::str(e.getScheduler()) : "";
  for (auto place : e.getOccurrences()) text += (text.empty() ? "" : ", ") + schema::str(place.getExecVnode());
  return text;
}

std::string reservation_words(schema::ReservationEvent::Reader event) {
  using which = schema::ReservationEvent::Which;
  switch (event.which()) {
    case which::SUBMITTED: return changes_text(event.getSubmitted().getAttributes());
    case which::CONFIRMED: return place_words(event.getConfirmed());
    case which::LATER_ASKED: return std::to_string(event.getLaterAsked().getCount()) + " more";
    case which::LATER_PLACED: return place_words(event.getLaterPlaced());
    case which::REFUSED: return "by " + schema::str(event.getRefused().getScheduler()) + after_colon(event.getRefused().getReason());
    case which::DENIED: return schema::str(event.getDenied().getText());
    case which::ALTER_REQUESTED: return changes_text(event.getAlterRequested().getChanges());
    case which::ALTER_DENIED: return schema::str(event.getAlterDenied().getText());
    case which::CHANGED: return changes_text(event.getChanged().getChanges());
    case which::OCCURRENCE_BEGAN: return std::to_string(event.getOccurrenceBegan().getIndex());
    case which::OCCURRENCE_ENDED: return std::to_string(event.getOccurrenceEnded().getIndex());
    case which::DEGRADED: return "without " + list_words(event.getDegraded().getVnodes());
    case which::DELETE_REQUESTED: return schema::str(event.getDeleteRequested().getText());
    case which::RESTORED:
    case which::ENDED: break;
  }
  return {};
}

std::string loss_words(schema::LogLossAccepted::Reader e) {
  std::string text = "the log ended with record " + std::to_string(e.getLastSequence()) + "; what was behind it is lost";
  for (auto w : e.getWitnesses()) text += "; " + schema::str(w.getName()) + " knows record " + std::to_string(w.getSequence());
  return text + "; job numbers go on at " + std::to_string(e.getNextNumber());
}

std::string log_words(schema::LogEvent::Reader event) {
  using which = schema::LogEvent::Which;
  switch (event.which()) {
    case which::LOSS_ACCEPTED: return loss_words(event.getLossAccepted());
    case which::CLOCK_STEPPED_BACK: return log::stepped_back_text(event.getClockSteppedBack());
    case which::RECORD_LOST: {
      const auto e = event.getRecordLost();
      return (e.getStream() ? "of stream " + std::to_string(e.getStream()) + ": " : std::string()) + schema::str(e.getWhy());
    }
    case which::BLOB_LOST: {
      const auto e = event.getBlobLost();
      return "blob " + hex(schema::bytes_of(e.getHash())) + ", named by record #" + std::to_string(e.getRecord());
    }
    case which::SALVAGED: {
      const auto e = event.getSalvaged();
      return std::to_string(e.getLost()) + " of " + std::to_string(e.getLastSequence()) + " records are lost, " +
             std::to_string(e.getCutStreams()) + " streams were cut; the account is in " + schema::str(e.getAccount());
    }
  }
  return {};
}

// Empty: an event without words of its own.
std::string own_words(schema::Event::Reader event) {
  switch (event.which()) {
    case schema::Event::SERVER: return server_words(event.getServer());
    case schema::Event::QUEUE: return queue_words(event.getQueue());
    case schema::Event::HOST: return host_words(event.getHost());
    case schema::Event::JOB: return job_words(event.getJob());
    case schema::Event::SCHEDULER: return scheduler_words(event.getScheduler());
    case schema::Event::RUN: return run_words(event.getRun());
    case schema::Event::PART: return part_words(event.getPart());
    case schema::Event::HOOK: return hook_object_words(event.getHook());
    case schema::Event::LOG: return log_words(event.getLog());
    case schema::Event::RESERVATION: return reservation_words(event.getReservation());
  }
  return {};
}

}  // namespace

std::string words(schema::Event::Reader event) {
  const auto text = own_words(event);
  return harmless(text.empty() ? fields(event) : text);
}

}  // namespace annals::audit
