// What a job makes of its MoM's reports, of a scheduler's proposal and of its timers.
#include <algorithm>
#include <set>

#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/model/exit_codes.hpp"
#include "events/model/job/explained.hpp"
#include "events/model/job/failed_starts.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/job/run_rights.hpp"
#include "events/model/limits.hpp"
#include "events/model/refuse.hpp"
#include "events/model/usage.hpp"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/daemon/from_scheduler.capnp.h"
#include "events/values/date_time.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

namespace ids = attributes::job;
namespace pbs_error = values::pbs_error;
using phase = job_phase;

namespace {

constexpr std::int64_t stage_in_retry_s = 30 * 60;
constexpr std::int32_t exit_rerun = -11;

bool rerunable(const job_state& job) { return job.attribute(ids::Rerunable) != "False"; }

// Of the hosts where the run has something those that are to be taken.
template <class Takes>
std::vector<std::string> hosts_where(const job_state& job, Takes&& takes) {
  std::vector<std::string> some;
  for (const auto& host : job.allocated.hosts())
    if (takes(host)) some.push_back(host);
  return some;
}

// Its files could not be staged in and nobody wants anything else of it: it is tried again later.
bool waits_for_files(const job_state& job) {
  return job.stage_in == job_stage_in::failed && !job.delete_requested && !job.aborted && !job.rerun_requested;
}

// Why a run is over, as a comment says it. `given_up`: why the server did not wait for the host; empty: it had not to. `not_started`:
// what the host said that could not start it.
struct run_end_reason {
  std::string given_up = {}, not_started = {};
};

// A hook that has asked for another run behind the program's end has changed how it ends.
std::int32_t requeue_exit_status(const job_state& job, std::int32_t code) {
  if (job.rerun_exit_status != 0) return job.rerun_exit_status;
  return job.rerun_by_hook && code != exit_rerun && code != exit_host_lost ? exit_hook_rerun : code;
}

// "not started on n1: hook h: no scratch directory"
std::string not_started(const job_state& job, const std::string& text) {
  return "not started on " + job.hosts.front() + (text.empty() ? "" : ": " + text);
}

// "Job", "Subjob 3"
std::string named_in_comment(const job_state& job) {
  return job.is_subjob() ? "Subjob " + std::to_string(values::index_of(job.number)) : "Job";
}

// As in PBS a job has no comment then; of a subjob its array says why it rests.
event requeued_without_files(const job_state& job, std::int32_t code, const stamp& now) {
  return make_event([&](auto e) {
    auto r = e.initJob().initRequeued();
    r.setRun(job.run);
    r.setExitStatus(code);
    r.setWaitUntil(now.seconds() + stage_in_retry_s);
    if (job.is_subjob()) r.setComment(named_in_comment(job) + " requeued, its " + words_of_missing_files(job));
  });
}

event requeued(const job_state& job, std::int32_t code, const run_end_reason& why, const stamp& now) {
  const auto& given_up = why.given_up;
  if (waits_for_files(job) && given_up.empty()) return requeued_without_files(job, code, now);
  const bool failed_often = is_failed_start(code) && counted_starts(job) > failed_starts_max;
  const bool script_lost = code == exit_script_lost, restart_failed = code == exit_bad_restart;
  const bool failed = fails_start(code) && !failed_often;
  const auto rests_until = failed && !job.is_subjob() ? rest_until_ns(job, now.wall_ns) : 0;  // of a subjob its array does
  return make_event([&](auto e) {
    auto r = e.initJob().initRequeued();
    r.setRun(job.run);
    r.setExitStatus(requeue_exit_status(job, code));
    r.setRestsUntilNs(rests_until);
    if (failed_often || script_lost || restart_failed) {
      r.initHolds(1).set(0, schema::HoldType::SYSTEM);
      r.setComment(script_lost      ? "job held, the server has lost its script"
                   : restart_failed ? "job held, not restarted from its checkpoint on " + job.hosts.front() + ": " + why.not_started
                                    : "job held, too many failed attempts to run; " + not_started(job, why.not_started));
    } else if (!given_up.empty()) {
      r.setComment("Job requeued, " + given_up + words_of_rest(rests_until));
    } else if (failed) {
      r.setComment(named_in_comment(job) + " requeued, " + not_started(job, why.not_started) + words_of_rest(rests_until));
    }
  });
}

bool goes_back_to_queue(const job_state& job, std::int32_t code) {
  if (job.delete_requested || job.aborted) return false;
  if (is_failed_start(code) || code == -18) return true;  // -18: a hook asked for another start
  if (code == exit_checkpointed || code == exit_bad_restart) return true;
  if (code == exit_script_lost) return true;  // until somebody has put it back, or deletes the job
  if (job.rerun_requested) return code == exit_rerun || code == exit_host_lost || job.rerun_by_hook;
  return code == exit_host_lost && rerunable(job);
}

std::string host_down(const job_state& job) { return "execution node " + job.hosts.front() + " down"; }

std::vector<std::string> names_of(capnp::List<capnp::Text>::Reader list) {
  std::vector<std::string> names;
  for (auto t : list) names.push_back(schema::str(t));
  return names;
}

// Every vnode came back: queued again, or ended.
void finish_run(const job_state& job, std::int32_t code, const run_end_reason& why, const stamp& now, const settings& settings,
                std::vector<event>& out) {
  if (goes_back_to_queue(job, code)) {
    out.push_back(requeued(job, code, why, now));
    leave_to_array(job, out);
  } else {
    end_job(job, code, true, words_of_end(job, code) + (why.given_up.empty() ? "" : ", " + why.given_up), settings, out);
  }
}

// The last events of a run whose primary is out of it. `unsure`: other hosts from which nobody knows whether the job is gone;
// the job waits for them, and the last one finishes it (decide_gone).
void close_run(const job_state& job, std::int32_t code, const std::string& not_started, const std::vector<std::string>& unsure,
               const stamp& now, const settings& settings, std::vector<event>& out) {
  const auto gone = hosts_where(job, [&](const std::string& host) {
    return host == job.hosts.front() || std::find(unsure.begin(), unsure.end(), host) == unsure.end();
  });
  if (!gone.empty()) out.push_back(released(job, gone, schema::ReleaseReason::LEFT));
  if (gone == job.allocated.hosts()) finish_run(job, code, {.not_started = not_started}, now, settings, out);
}

// -- reports -----------------------------------------------------------------------------------------------------------

event started_event(const job_state& job, std::int64_t session, bool can_checkpoint, const stamp& now) {
  return make_event([&](auto e) {
    auto s = e.initJob().initStarted();
    s.setRun(job.run);
    s.setSession(session);
    s.setCanCheckpoint(can_checkpoint);
    s.setComment("Job run at " + values::print_comment_date(now.seconds()) + " on " +
                 std::string(job.attribute(ids::exec_vnode)));
  });
}

outcome on_started(const job_state& job, schema::RunStarted::Reader r, const stamp& now) {
  if (r.getRef().getRun() != job.run || job.phase != phase::assigned) return no_change;
  return std::vector<event>{started_event(job, r.getSession(), r.getCanCheckpoint(), now)};
}

outcome on_refused(const job_state& job, schema::RunRefusedReport::Reader r, const stamp& now, const settings& settings) {
  if (r.getRef().getRun() != job.run || job.phase != phase::assigned) return no_change;
  std::vector<event> out;
  const auto code = job.rerun_requested ? exit_rerun : r.getCode();
  out.push_back(make_event([&](auto e) {
    auto f = e.initJob().initStartFailed();
    f.setRun(job.run);
    f.setCode(code);
    f.setText(r.getText());
  }));
  close_run(job, code, schema::str(r.getText()), names_of(r.getAbandoned()), now, settings, out);
  return out;
}

// Only hosts that the run began with, each once, and no more words than its primary may tell.
std::vector<host_usage> hosts_of_run(const job_state& job, std::vector<host_usage> told, const settings& settings) {
  std::set<std::string_view> expected(job.hosts.begin(), job.hosts.end());
  std::erase_if(told, [&](const host_usage& h) { return expected.erase(h.host) == 0; });
  for (auto& h : told) cut_words(h.usage, limits::run_words_bytes_max / told.size(), settings.resources);
  return told;
}

// What is known of this run so far.
usage_set reported_usage(const job_state& job) {
  usage_set so_far;
  if (!job.usage_known) return so_far;
  for (const auto& e : job.attributes)
    if (e.id == ids::resources_used) so_far.set(e.resource, e.value);
  return so_far;
}

// What the job shows, and what it was made of where that is more than one host. Both reports, and both events, have the same fields
// for it. `at_least`: what is known already, of a run that its host has lost.
template <class Report, class Builder>
void put_usage(const job_state& job, Report&& told, const settings& settings, const usage_set& at_least, Builder&& to) {
  auto hosts = hosts_of_run(job, checked_hosts(told.getHosts(), settings.resources), settings);
  raise_primary(hosts, at_least, settings.resources);
  write_usage(job_total(hosts, settings.resources, told.getMergeWords() ? words_form::merge : words_form::by_node), to.initUsage());
  if (hosts.size() < 2) return;
  auto list = to.initHosts(static_cast<unsigned>(hosts.size()));
  for (unsigned i = 0; i < list.size(); ++i) write_host_usage(hosts[i], list[i]);
}

outcome on_usage(const job_state& job, schema::RunUsage::Reader r, const settings& settings) {
  if (r.getRef().getRun() != job.run || !job.running()) return no_change;
  return std::vector<event>{make_event([&](auto e) {
    auto u = e.initJob().initUsageReported();
    u.setRun(job.run);
    put_usage(job, r, settings, {}, u);
    u.setSession(r.getSession());
    u.setJobdir(r.getJobdir());
  })};
}

// The answer says whether the run goes on with its first host alone; a repeat is answered likewise.
constexpr const char* first_host_only = "first host only";

outcome exit_known(const job_state& job, std::uint32_t run) {
  outcome out(no_change);
  if (run == job.run && stages_out_alone(job)) out.reply = first_host_only;
  return out;
}

outcome on_exited(const job_state& job, const mom_report& report, const stamp& now, const settings& settings) {
  const auto r = report.message.get().getRunExited();
  if (r.getRef().getRun() != job.run || !job.running()) return exit_known(job, r.getRef().getRun());
  std::vector<event> out;
  if (job.phase == phase::assigned) out.push_back(started_event(job, r.getSession(), false, now));  // S comes before E
  out.push_back(make_event([&](auto e) {
    auto x = e.initJob().initExited();
    x.setRun(job.run);
    x.setExitStatus(r.getExitStatus());
    put_usage(job, r, settings, r.getExitStatus() == exit_host_lost ? reported_usage(job) : usage_set{}, x);
    x.setSession(r.getSession());
    x.setReported(r.getReported());
  }));
  const auto before = out.size();
  if (!goes_back_to_queue(job, r.getExitStatus())) release_at_stage_out(job, report, settings, out);
  const bool releases = out.size() > before;
  outcome decided(std::move(out));
  if (releases) decided.reply = first_host_only;
  return decided;
}

outcome on_request_done(const job_state& job, schema::SignalDone::Reader r) {
  if (r.getRef().getRun() != job.run || job.requests.empty() || r.getId() < job.requests.front().id || r.getId() > job.last_request)
    return no_change;
  return std::vector<event>{make_event([&](auto e) {
    auto d = e.initJob().initRequestDone();
    d.setRun(job.run);
    d.setRequest(r.getId());
  })};
}

// Each step once: the primary counts them, and tells those again that were not acknowledged. Those that change what the run has are
// looked at one after the other.
outcome on_steps(const job_state& job, schema::RunSteps::Reader r, const stamp& now, const settings& settings) {
  if (r.getRef().getRun() != job.run || !job.running()) return no_change;
  if (r.getFirst() > job.steps) return refuse(pbs_error::try_again, "earlier steps of the run were not reported yet");
  std::vector<event> out;
  std::optional<job_state> reduced;  // as the steps so far leave it
  const auto steps = r.getSteps();
  for (unsigned i = job.steps - r.getFirst(); i < steps.size(); ++i) {
    if (!schema::is_known(steps[i].getStep()))
      return refuse(pbs_error::invalid_request, "the MoM tells of a step of the run that this server does not know");
    out.push_back(make_event([&](auto e) {
      auto s = e.initJob().initRunStep();
      s.setRun(job.run);
      s.setAtNs(steps[i].getAtNs());
      s.setStep(steps[i].getStep());
    }));
    auto more = events_of_step(reduced ? *reduced : job, steps[i].getStep(), settings);
    if (more.empty()) continue;
    if (!reduced) reduced = job;
    for (auto& e : more) {
      apply(*reduced, {0, 0, reduced->version + 1, now.wall_ns, now.by}, e.get());
      out.push_back(std::move(e));
    }
  }
  return out;
}

outcome on_left(const job_state& job, schema::RunLeftReport::Reader r, const stamp& now, const settings& settings) {
  if (r.getRef().getRun() != job.run) return no_change;
  // The report of the exit was not taken (the disk was full): the MoM tells it again, and then this one.
  if (job.running()) return refuse(pbs_error::try_again, "the end of the run was not reported yet");
  if (job.phase != phase::exiting || job.waits_for_hosts()) return no_change;
  std::vector<event> out;
  out.push_back(make_event([&](auto e) {
    auto d = e.initJob().initOutputDelivered();
    d.setOk(r.getDelivered());
    d.setText(r.getText());
  }));
  const auto close = [&](const job_state& as_told) {
    close_run(as_told, job.exit_status, {}, names_of(r.getAbandoned()), now, settings, out);
  };
  if (r.getDelivered()) {
    close(job);
  } else {
    auto told = job;
    note_undelivered(told, schema::text(r.getText()));
    close(told);
  }
  return out;
}

}  // namespace

outcome decide_report(const job_state& job, const mom_report& report, const stamp& now, const settings& settings) {
  const auto m = report.message.get();
  if (!job.hosts.empty() && report.host != job.hosts.front()) return no_change;  // only the primary speaks for a run
  switch (m.which()) {
    case schema::FromMom::RUN_STARTED: return on_started(job, m.getRunStarted(), now);
    case schema::FromMom::RUN_REFUSED: return on_refused(job, m.getRunRefused(), now, settings);
    case schema::FromMom::RUN_USAGE: return on_usage(job, m.getRunUsage(), settings);
    case schema::FromMom::RUN_EXITED: return on_exited(job, report, now, settings);
    case schema::FromMom::RUN_LEFT: return on_left(job, m.getRunLeft(), now, settings);
    case schema::FromMom::REQUEST_DONE: return on_request_done(job, m.getRequestDone());
    case schema::FromMom::RUN_STEPS: return on_steps(job, m.getRunSteps(), now, settings);
    default: return no_change;
  }
}

void lose_run(const job_state& job, std::int32_t code, run_loss how, const stamp& now, const settings& settings,
              std::vector<event>& out) {
  if (job.running()) {
    if (job.phase == phase::assigned) out.push_back(started_event(job, 0, false, now));
    out.push_back(make_event([&](auto e) {
      auto x = e.initJob().initExited();
      x.setRun(job.run);
      x.setExitStatus(code);
    }));
  } else {
    code = job.exit_status;
  }
  // Nobody spoke for the other hosts: they are told to end what they have of the run, and asked whether they have.
  const auto gone = hosts_where(job, [&](const std::string& host) { return how == run_loss::forced || host == job.hosts.front(); });
  if (!gone.empty())
    out.push_back(released(job, gone, how == run_loss::missing ? schema::ReleaseReason::LEFT : schema::ReleaseReason::ABANDONED));
  if (gone == job.allocated.hosts())
    finish_run(job, code, {.given_up = how == run_loss::host_down ? host_down(job) : ""}, now, settings, out);
}

outcome decide_lost(const job_state& job, const run_lost& lost, const stamp& now, const settings& settings) {
  if (lost.run != job.run || job.allocated.empty() || job.waits_for_hosts()) return no_change;
  if (job.provisioning()) return no_change;  // its hosts are made anew, and know nothing of it yet
  // Not there yet is not lost: the order is still on its way, unless the host began a new life.
  if (job.phase == phase::assigned && !lost.host_gone && !lost.log_is_new) return no_change;
  const auto code = job.rerun_requested ? exit_rerun : exit_host_lost;
  std::vector<event> out;
  lose_run(job, code, lost.host_gone ? run_loss::host_down : run_loss::missing, now, settings, out);
  return out;
}

outcome decide_gone(const job_state& job, const run_gone_from& gone, const stamp& now, const settings& settings) {
  const bool is_last_wait = job.waits_for_hosts();
  const bool unheard = std::find(job.unheard.begin(), job.unheard.end(), gone.host) != job.unheard.end();
  const bool awaited = (is_last_wait || unheard) && job.allocated.is_on(gone.host);
  if (gone.run != job.run || !awaited) return no_change;
  std::vector<event> out{released(job, {gone.host}, gone.abandoned ? schema::ReleaseReason::ABANDONED : schema::ReleaseReason::LEFT)};
  if (is_last_wait && job.allocated.hosts().size() == 1)
    finish_run(job, job.exit_status, {.given_up = job.primary_abandoned ? host_down(job) : ""}, now, settings, out);
  return out;
}

// The last vnode that comes lets the run be sent. One that cannot be had ends the run before anybody has heard of it.
outcome decide_provisioned(const job_state& job, const vnode_provisioned& told, const stamp& now, const settings& settings) {
  auto left = values::split_list(job.attribute(ids::prov_vnode));
  if (told.run != job.run || !job.provisioning() || std::erase(left, told.vnode) == 0) return no_change;
  std::vector<event> out;
  if (told.failed.empty()) {
    out.push_back(make_event([&](auto e) {
      auto change = e.initJob().initAltered().initChanges(1)[0];
      change.setName("prov_vnode");
      if (left.empty()) change.setOp(schema::AttributeOp::UNSET);
      else change.setValue(values::join_list(left));
    }));
    return out;
  }
  out.push_back(make_event([&](auto e) {
    auto f = e.initJob().initStartFailed();
    f.setRun(job.run);
    f.setCode(exit_retry);
    f.setText(told.failed);
  }));
  out.push_back(released(job, job.allocated.hosts(), schema::ReleaseReason::LEFT));
  finish_run(job, exit_retry, {.given_up = "provisioning of " + told.vnode + " failed: " + told.failed}, now, settings, out);
  return out;
}

namespace {

event assigned_event(const job_state& job, const proposed_run& proposed, std::uint64_t walltime, const stamp& now) {
  const auto p = proposed.message.get().getRun();
  return make_event([&](auto e) {
    auto a = e.initJob().initAssigned();
    a.setRun(job.run + 1);
    a.setExecVnode(p.getExecVnode());
    a.setExecHost(p.getExecHost());
    a.setScheduler(proposed.scheduler);
    a.setHosts(p.getHosts());
    a.setPlace(std::string(job.attribute(ids::Resource_List, "place")));
    a.setWalltimeSeconds(walltime);
    if (job.attributes.has(ids::stagein)) return;  // its files go first
    a.setComment("Job was sent for execution at " + values::print_comment_date(now.seconds()) + " on " +
                 schema::str(p.getExecVnode()));
  });
}

// The hooks are the site's: they may set what a manager may. A walltime that they set is not shrunk.
outcome run_as_hooks_left_it(job_state job, const proposed_run& proposed, const stamp& now, const settings& settings) {
  auto altered = decide_alter(job, *proposed.changes, {now.wall_ns, {"root", settings.host_name, schema::Role::SERVER}}, settings);
  if (!altered.accepted()) return altered;
  auto out = std::move(altered.events());
  const std::string before(job.attribute(ids::Resource_List, "walltime"));
  for (const auto& e : out) apply(job, {0, 0, job.version + 1, now.wall_ns, now.by}, e.get());
  const auto walltime = walltime_for_run(job, proposed);
  if (!walltime) return walltime.error();
  out.push_back(assigned_event(job, proposed, job.attribute(ids::Resource_List, "walltime") == before ? *walltime : 0, now));
  return out;
}

}  // namespace

outcome decide_run(const job_state& job, const proposed_run& proposed, const stamp& now, const settings& settings) {
  if (auto why = proposal_refusal(job, proposed, now.by, settings)) return *why;
  const auto p = proposed.message.get().getRun();
  // A run has a host. A proposal without one is that a suspended job goes on where it is; it may come when that job runs no more.
  if (p.getHosts().size() == 0) {
    if (job.phase != phase::suspended || !job.resume_wanted) return refuse(pbs_error::bad_state, "Job not suspended");
    return resumed_events(job);
  }
  const bool may_run = job.phase == phase::queued || (proposed.asked && (job.phase == phase::held || job.phase == phase::waiting));
  if (!may_run || job.delete_requested)
    return proposed.asked ? refuse(pbs_error::bad_state) : refuse(pbs_error::bad_state, "Job not in queued state");
  if (!proposed.asked && rests(job, now.wall_ns))
    return refuse(pbs_error::bad_state, "Its start has failed" + words_of_rest(job.rests_until_ns));
  if (!job.checkpointed_at.empty() && schema::text(p.getExecVnode()) != job.checkpointed_at)
    return refuse(pbs_error::must_execute_there);
  if (!allocation::fits(schema::text(p.getExecVnode()), schema::text(p.getExecHost()), names_of(p.getHosts())))
    return refuse(pbs_error::bad_node_spec);
  if (proposed.changes) return run_as_hooks_left_it(job, proposed, now, settings);
  const auto walltime = walltime_for_run(job, proposed);
  if (!walltime) return walltime.error();
  return std::vector<event>{assigned_event(job, proposed, *walltime, now)};
}

outcome decide_end_wait(const job_state& job, const stamp& now) {
  if (job.phase != phase::waiting || now.seconds() < job.execution_time) return no_change;  // fired early: asked again
  return std::vector<event>{make_event([](auto e) { e.initJob().setWaitEnded(); })};
}

// pbs guide: qterm. The reply is the line of the server's log.
outcome decide_server_stops(const job_state& job, const server_stops& command) {
  if (!job.running() || job.delete_requested || job.rerun_requested || job.aborted) return no_change;
  outcome decided = no_change;
  if (rerunable(job)) {
    decided = std::vector<event>{make_event([](auto e) { e.initJob().initRerunRequested(); })};
    decided.reply = "Requeued in queue: " + std::string(job.queue()) + " on Server shutdown";
  } else if (command.waits_for_jobs) {
    decided.reply = "job running on at Server shutdown on Server shutdown";
  } else {
    decided = std::vector<event>{make_event([](auto e) { e.initJob().initDeleteRequested().setForce(true); })};
    decided.reply = "Aborted by PBS Server  on Server shutdown";
  }
  return decided;
}

std::int64_t history_seconds(const settings& settings) {
  constexpr std::int64_t two_weeks = 14 * 24 * 60 * 60;  // pbs guide: job_history_duration when unset
  if (!settings.server_flag(attributes::server::job_history_enable)) return 0;
  return attributes::seconds_of(settings.server, attributes::server::job_history_duration).value_or(two_weeks);
}

outcome decide_forget(const job_state& job, const forget_job& command, const stamp& now, const settings& settings) {
  if (job.phase != phase::finished) return no_change;
  if (command.with_array) return std::vector<event>{make_event([](auto e) { e.initJob().setForgotten(); })};
  if (job.is_subjob()) return no_change;  // it stays as long as its array
  const auto since = attributes::integer_of(job.attributes, ids::history_timestamp).value_or(0);
  const auto keeps = history_seconds(settings);
  if (keeps > 0 && now.seconds() < since + keeps) return no_change;  // too early: asked again
  return std::vector<event>{make_event([](auto e) { e.initJob().setForgotten(); })};
}

}  // namespace annals::model
