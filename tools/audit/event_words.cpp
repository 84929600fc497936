// A sentence for each kind of event that people ask about. Kinds without one are printed by their fields.
#include "events/values/date_time.hpp"
#include "events/values/duration.hpp"
#include "tools/audit/event_text.hpp"

namespace annals::audit {
namespace {

std::string run_text(std::uint32_t run) { return "run " + std::to_string(run); }

// ": text", or nothing where there is none.
std::string after_colon(capnp::Text::Reader text) { return text.size() > 0 ? ": " + schema::str(text) : ""; }

std::string usage_text(schema::Usage::Reader u) {
  return "cput " + values::print_duration(static_cast<std::int64_t>(u.getCpuSeconds())) + ", mem " + std::to_string(u.getMemKb()) +
         "kb, walltime " + values::print_duration(static_cast<std::int64_t>(u.getWallSeconds()));
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
  if (!select.empty()) text += ", select " + select;
  if (e.getHolds().size() > 0) text += ", " + holds_text(e.getHolds());
  if (e.getExecutionTime() > 0) text += ", not before " + time_text(e.getExecutionTime() * 1'000'000'000).substr(0, 19);
  return text;
}

std::string assigned_words(schema::JobAssigned::Reader e) {
  return run_text(e.getRun()) + " on " + schema::str(e.getExecVnode()) + (e.getScheduler().size() == 0 ? ", by qrun" : "");
}

std::string delivered_words(schema::OutputDelivered::Reader e) {
  return (e.getOk() ? "output is in its place" : "output could not be delivered") + after_colon(e.getText());
}

std::string delete_words(schema::JobDeleteRequested::Reader e) {
  return std::string("to be deleted") + (e.getForce() ? ", by force" : "") + (e.getPurgeHistory() ? ", history too" : "");
}

std::string requeued_words(schema::JobRequeued::Reader e) {
  std::string text = run_text(e.getRun()) + " is over, exit status " + std::to_string(e.getExitStatus());
  if (e.getWaitUntil() > 0) text += ", its files could not be staged in: waits until " + values::print_log_date(e.getWaitUntil());
  if (e.getHolds().size() > 0) text += ", now with " + holds_text(e.getHolds());
  return text + after_colon(e.getComment());
}

std::string reasons_words(schema::CycleReasons::Reader e) {
  const auto jobs = e.getJobs().size();
  std::string text = std::to_string(jobs) + (jobs == 1 ? " job" : " jobs");
  for (auto t : e.getTexts()) text += "; " + schema::str(t);
  return text;
}

std::string job_words(schema::Event::Reader event) {
  switch (event.which()) {
    case which::JOB_QUEUED: return queued_words(event.getJobQueued());
    case which::JOB_ALTERED: return changes_text(event.getJobAltered().getChanges());
    case which::JOB_HELD: return holds_text(event.getJobHeld().getHolds()) + after_colon(event.getJobHeld().getComment());
    case which::JOB_RELEASED:
      return holds_text(event.getJobReleased().getHolds()) + " released" + after_colon(event.getJobReleased().getComment());
    case which::JOB_WAIT_ENDED: return "its execution time has come";
    case which::JOB_ASSIGNED: return assigned_words(event.getJobAssigned());
    case which::JOB_STARTED: {
      const auto e = event.getJobStarted();
      return run_text(e.getRun()) + " is running, session " + std::to_string(e.getSession());
    }
    case which::JOB_START_FAILED: {
      const auto e = event.getJobStartFailed();
      return run_text(e.getRun()) + " did not start, code " + std::to_string(e.getCode()) + after_colon(e.getText());
    }
    case which::USAGE_REPORTED: return run_text(event.getUsageReported().getRun()) + ": " + usage_text(event.getUsageReported().getUsage());
    case which::JOB_DELETE_REQUESTED: return delete_words(event.getJobDeleteRequested());
    case which::JOB_RERUN_REQUESTED: return event.getJobRerunRequested().getForce() ? "to be run again, by force" : "to be run again";
    case which::JOB_EXITED: {
      const auto e = event.getJobExited();
      return run_text(e.getRun()) + " ended, exit status " + std::to_string(e.getExitStatus()) + "; " + usage_text(e.getUsage());
    }
    case which::OUTPUT_DELIVERED: return delivered_words(event.getOutputDelivered());
    case which::VNODE_HANDED_BACK: {
      const auto e = event.getVnodeHandedBack();
      return run_text(e.getRun()) + " holds nothing on " + schema::str(e.getHost()) + (e.getAbandoned() ? " any more; the host was given up" : " any more");
    }
    case which::JOB_REQUEUED: return requeued_words(event.getJobRequeued());
    case which::JOB_ENDED: {
      const auto e = event.getJobEnded();
      return e.getHasExitStatus() ? "finished, exit status " + std::to_string(e.getExitStatus()) : "finished without having run to an end";
    }
    case which::JOB_FORGOTTEN: return "no longer in the history";
    case which::JOB_SIGNALLED: return run_text(event.getJobSignalled().getRun()) + " gets signal " + schema::str(event.getJobSignalled().getSignal());
    case which::JOB_MESSAGED: return "a message for its output: " + schema::str(event.getJobMessaged().getText());
    case which::JOB_SUSPENDED:
      return run_text(event.getJobSuspended().getRun()) + " is suspended and gives up " + schema::str(event.getJobSuspended().getReleased()) +
             (event.getJobSuspended().getAdmin() ? ", for maintenance" : "");
    case which::JOB_RESUME_WANTED: return "to go on when there is room";
    case which::JOB_RESUMED: return run_text(event.getJobResumed().getRun()) + " goes on with " + schema::str(event.getJobResumed().getTaken());
    case which::JOB_MOVED: return "moved to " + schema::str(event.getJobMoved().getQueue()) + (event.getJobMoved().getChanges().size() == 0 ? "" : "; " + changes_text(event.getJobMoved().getChanges()));
    case which::JOB_REORDERED: return "another place in its queue, rank " + std::to_string(event.getJobReordered().getQueueRank());
    case which::JOB_WISH_DONE: return "the host did what it was told, number " + std::to_string(event.getJobWishDone().getWish());
    case which::JOB_DISCARDED: return "the run was given up at once";
    default: return fields(event);
  }
}

std::string run_words(schema::Event::Reader event) {
  switch (event.which()) {
    case which::RUN_RECEIVED: return run_text(event.getRunReceived().getRun()) + " of " + schema::str(event.getRunReceived().getJob()) + " was ordered";
    case which::PROGRAM_STARTING: return "the program is about to be started";
    case which::PROGRAM_STARTED:
      return "the program runs, pid " + std::to_string(event.getProgramStarted().getPid()) + ", session " +
             std::to_string(event.getProgramStarted().getSession());
    case which::RUN_REFUSED: return "refused, code " + std::to_string(event.getRunRefused().getCode()) + after_colon(event.getRunRefused().getText());
    case which::KILL_REQUESTED: {
      const auto e = event.getKillRequested();
      return schema::str(e.getSignal()) + (e.getWhy().size() > 0 ? ", " + schema::str(e.getWhy()) : ", the server wishes it");
    }
    case which::USAGE_SAMPLED: return usage_text(event.getUsageSampled().getUsage());
    case which::PROGRAM_ENDED:
      return "exit status " + std::to_string(event.getProgramEnded().getExitStatus()) + "; " + usage_text(event.getProgramEnded().getUsage());
    case which::OUTPUT_PLACED: return delivered_words(event.getOutputPlaced());
    case which::WISH_RECEIVED: return "told, number " + std::to_string(event.getWishReceived().getId());
    case which::WISH_DONE: return "done, number " + std::to_string(event.getWishDone().getId());
    case which::RUN_LEFT: return "the server knows everything";
    default: return fields(event);
  }
}

std::string sisters_words(schema::SistersAsked::Reader e) {
  std::string text;
  for (auto h : e.getHosts()) text += (text.empty() ? "" : ", ") + schema::str(h);
  return text + " asked to join";
}

// The hosts of a run and their tasks; in its primary's log, in a sister's, and relayed in the server's.
std::string hosts_words(schema::Event::Reader event) {
  switch (event.which()) {
    case which::SISTERS_ASKED: return sisters_words(event.getSistersAsked());
    case which::SISTER_JOINED: return schema::str(event.getSisterJoined().getHost()) + " joined";
    case which::SISTER_FAILED: {
      const auto e = event.getSisterFailed();
      return schema::str(e.getHost()) + " failed, code " + std::to_string(e.getCode()) + after_colon(e.getText());
    }
    case which::JOIN_WAIT_ENDED: return "no longer waiting for hosts to join";
    case which::SISTER_LEFT:
      return event.getSisterLeft().getAbandoned() ? schema::str(event.getSisterLeft().getHost()) + " was given up"
                                                  : "the job is gone from " + schema::str(event.getSisterLeft().getHost());
    case which::FILES_STAGED_IN: {
      const auto e = event.getFilesStagedIn();
      return std::to_string(e.getStaged()) + " of " + std::to_string(e.getAsked()) + " files staged in" + after_colon(e.getText());
    }
    case which::JOB_JOINED: return "joined " + schema::str(event.getJobJoined().getJob()) + " of " + schema::str(event.getJobJoined().getPrimary());
    case which::JOIN_REFUSED: return "could not join" + after_colon(event.getJoinRefused().getText());
    case which::JOB_LEFT: return "nothing of the job is left";
    default: return fields(event);
  }
}

std::string object_words(schema::Event::Reader event) {
  switch (event.which()) {
    case which::SERVER_CHANGED: return changes_text(event.getServerChanged().getChanges());
    case which::QUEUE_CHANGED: return changes_text(event.getQueueChanged().getChanges());
    case which::SCHEDULER_CHANGED: return changes_text(event.getSchedulerChanged().getChanges());
    case which::VNODE_CHANGED: return schema::str(event.getVnodeChanged().getVnode()) + ": " + changes_text(event.getVnodeChanged().getChanges());
    case which::HOOK_CHANGED: return changes_text(event.getHookChanged().getChanges());
    case which::HOOK_RAN: {
      constexpr std::string_view verdicts[] = {"accepted", "rejected", "ended with an error", "was killed at its alarm"};
      const auto run = event.getHookRan().getRun();
      const auto at = static_cast<std::size_t>(run.getVerdict());
      return schema::str(run.getEvent()) + " for " + schema::str(event.getHookRan().getSubject()) + " " +
             std::string(at < std::size(verdicts) ? verdicts[at] : "unknown") + after_colon(run.getMessage());
    }
    case which::HOST_WENT_DOWN: return schema::str(event.getHostWentDown().getText());
    case which::SCHEDULER_STOPPED: return schema::str(event.getSchedulerStopped().getText());
    case which::CYCLE_REASONS: return reasons_words(event.getCycleReasons());
    case which::CYCLE_ENDED: {
      const auto e = event.getCycleEnded();
      return "cycle " + std::to_string(e.getNumber()) + ": " + std::to_string(e.getStarted()) + " of " + std::to_string(e.getConsidered()) +
             " jobs started, " + std::to_string(e.getElapsedUs()) + " us";
    }
    case which::CYCLE_BEGAN: return "cycle " + std::to_string(event.getCycleBegan().getNumber()) + after_colon(event.getCycleBegan().getTrigger());
    default: return fields(event);
  }
}

}  // namespace

std::string words(schema::Event::Reader event) {
  const auto kind = event.which();
  if ((kind >= which::SISTERS_ASKED && kind <= which::JOB_LEFT) || kind == which::FILES_STAGED_IN) return harmless(hosts_words(event));
  if ((kind >= which::RUN_RECEIVED && kind <= which::RUN_LEFT) || kind == which::WISH_RECEIVED || kind == which::WISH_DONE) return harmless(run_words(event));
  if ((kind >= which::JOB_QUEUED && kind <= which::JOB_FORGOTTEN) || kind == which::JOB_DISCARDED || (kind >= which::JOB_SIGNALLED && kind <= which::JOB_REORDERED)) return harmless(job_words(event));
  return harmless(object_words(event));
}

}  // namespace annals::audit
