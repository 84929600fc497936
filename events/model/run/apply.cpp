// What each event means to a run.
#include "events/model/run/run.hpp"

#include <algorithm>

#include "events/model/exit_codes.hpp"
#include "events/model/run/rules.hpp"

namespace annals::model {

using which = schema::RunEvent::Which;
using phase = run_phase;

namespace {

void on_received(run_state& run, const event_place& at, schema::RunReceived::Reader e) {
  run.stream = at.stream;
  run.job = schema::str(e.getJob());
  run.run = e.getRun();
  run.job_serial = e.getJobSerial();
  run.join_since_ns = at.wall_ns;
  const auto order = e.getOrder();
  if (order.size() == 0) return;
  auto message = schema::sealed_message::from_bytes(schema::bytes_of(order));
  ANNALS_INVARIANT(message.has_value(), "an order in the log is well-formed");
  run.order = schema::sealed<schema::ToMom>(std::move(*message));
  run.allocated = allocation_of(run.order.get().getStartRun());
  run.tolerates = tolerance_of(run.order.get().getStartRun());
  if (wants_files(run.order.get().getStartRun())) run.stage_in = stage_in_phase::wanted;
}

void on_ended(run_state& run, const event_place& at, schema::ProgramEnded::Reader e) {
  run.over_since_ns = at.wall_ns;
  run.exit_status = e.getExitStatus();
  run.usage = read_usage(e.getUsage());
}

void on_killed(run_state& run, schema::KillRequested::Reader e) {
  run.kill_id = std::max(run.kill_id, e.getId());
  run.kill_signal = schema::str(e.getSignal());
  run.kill_delay_s = e.getKillDelay();
  run.resend_term_s = e.getResendTerm();
  run.kill_why = schema::str(e.getWhy());
  run.kill_sent_ns = 0;
  run.term_delay_over = run.kill_delay_over = false;
  if (e.getId() > 0) run.kill_exit_status = e.getExitStatus();
  if (e.getOverridesExit()) run.exit_override = e.getExitStatus();
}

void on_request_to_run(run_state& run, const event_place& at, schema::RunRequest::Reader e) {
  if (e.isSuspend() && !run.suspended) {
    run.suspended = true;
    run.suspended_at_s = at.seconds();
  } else if (e.isResume() && run.suspended) {
    run.suspended = false;
    run.suspended_s += std::max<std::int64_t>(at.seconds() - run.suspended_at_s, 0);  // less than nothing: the clock went back
  }
  told_request w{e.getId(), e.which(), {}, false, false};
  if (e.isSignal()) w.text = schema::str(e.getSignal());
  if (e.isMessage()) {
    w.text = schema::str(e.getMessage().getText());
    w.to_errors = e.getMessage().getToErrors();
    w.to_output = e.getMessage().getToOutput();
  }
  if (e.isRelease()) w.release = read_reduction(e.getRelease());
  if (e.isAltered())
    for (auto change : e.getAltered()) w.changes.push_back(read_change(change));
  if (e.isCheckpoint()) run.checkpoints.push_back(e.getId());
  run.last_request = w.id;
  run.requests.push_back(std::move(w));
}

void on_request_done(run_state& run, schema::RequestDone::Reader e) {
  run.requests_done = e.getId();
  for (auto& w : run.requests) {
    if (w.id > run.requests_done || w.changes.empty()) continue;
    ++run.alterations;
    for (auto& change : w.changes) put_change(run, std::move(change));
  }
  std::erase_if(run.requests, [&](const told_request& w) { return w.id <= run.requests_done; });
  run.checkpointed |= e.getCheckpointed();
  if (run.checkpointed && run.phase == phase::ended) run.exit_status = exit_checkpointed;  // its script has ended it
}

}  // namespace

void apply(run_state& run, const event_place& at, schema::RunEvent::Reader event) {
  const auto* row = row_of(run.phase, event.which());
  ANNALS_INVARIANT(row, "an event the run's table does not list");
  switch (event.which()) {
    case which::RECEIVED: on_received(run, at, event.getReceived()); break;
    case which::PROGRAM_STARTED: {
      const auto e = event.getProgramStarted();
      run.pid = e.getPid();
      run.session = e.getSession();
      run.jobdir = schema::str(e.getJobdir());
      run.started_s = at.seconds();
      run.numbered = run.allocated;  // hooks before it may have let some go
      run.pruned = run.reductions;
      break;
    }
    case which::REFUSED:
      run.over_since_ns = at.wall_ns;
      run.exit_status = event.getRefused().getCode();
      run.text = schema::str(event.getRefused().getText());
      break;
    case which::KILL_REQUESTED:
      on_killed(run, event.getKillRequested());
      if (event.getKillRequested().getWhy().size() > 0) add_step(run, at, event);  // the server did not ask for it
      break;
    case which::PROGRAM_ENDED: on_ended(run, at, event.getProgramEnded()); break;
    case which::OUTPUT_PLACED:
      run.placed = true;
      run.delivered = event.getOutputPlaced().getOk();
      run.delivery_text = schema::str(event.getOutputPlaced().getText());
      break;
    case which::REQUEST_RECEIVED: on_request_to_run(run, at, event.getRequestReceived()); break;
    case which::REQUEST_DONE: on_request_done(run, event.getRequestDone()); break;
    case which::DISCARDED: run.discarded = true; break;
    case which::HOOK_RAN:
      run.hooks.add(event.getHookRan());
      if (run.phase == phase::received && run.launch_since_ns == 0) run.join_since_ns = at.wall_ns;  // sisters are asked behind them
      break;
    case which::HOOK_USED:
      apply_changes(run.hook_usage, event.getHookUsed().getChanges());
      run.closing_hooks_used |= event.getHookUsed().getClosing();
      break;
    case which::KILL_SENT: run.kill_sent_ns = at.wall_ns; break;
    case which::TERM_DELAY_ENDED: run.term_delay_over = true; break;
    case which::KILL_DELAY_ENDED: run.kill_delay_over = true; break;
    case which::FILES_STAGED_IN:
      apply_to_staging(run, at, event.getFilesStagedIn());
      add_step(run, at, event);
      break;
    case which::ALLOCATION_REDUCED:
      apply_reduction(run, at, event.getAllocationReduced());
      add_step(run, at, event);
      break;
    case which::SISTERS_ASKED:
    case which::SISTER_JOINED:
    case which::SISTER_FAILED:
    case which::JOIN_WAIT_ENDED:
    case which::SISTER_LEFT:
    case which::SISTERS_USED:
    case which::SISTER_AWAY:
    case which::SISTER_BACK:
    case which::TICKET_LAPSED:
    case which::PROLOGUE_ASKED:
    case which::SISTER_READY:
    case which::LAUNCH_WAIT_ENDED:
    case which::TICKET_RENEWED: apply_to_sisters(run, at, event); break;
    case which::TASK_ASKED:
    case which::TASK_SETTLED: apply_to_tasks(run, at, event); break;
    case which::PROGRAM_STARTING:
    case which::LEFT: break;  // the phase says it
  }
  run.phase = row->to;
  run.version = at.version;
}

}  // namespace annals::model
