// What users and administrators may ask of a job: hold, release, delete, rerun. (Alter: alter.cpp.)
#include "events/attributes/ids.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/refuse.hpp"
#include "events/schema/client.capnp.h"
#include "events/values/date_time.hpp"

namespace annals::model {

namespace ids = attributes::job;
namespace pbs_error = values::pbs_error;
using phase = job_phase;

namespace {

// Who may set or release which hold (pbs guide: qhold).
bool may_hold(schema::HoldType hold, const requester& by) {
  switch (hold) {
    case schema::HoldType::USER: return true;
    case schema::HoldType::OPERATOR: return by.is_operator();
    case schema::HoldType::SYSTEM: return by.is_manager();
    case schema::HoldType::BAD_PASSWORD: return by.role == schema::Role::ROOT;
  }
  return false;
}

// Only root puts a job under a hold for a bad password, but whoever owns the job may take it off.
bool may_release(schema::HoldType hold, const requester& by) {
  return hold == schema::HoldType::BAD_PASSWORD || may_hold(hold, by);
}

std::optional<rejection> hold_refusal(const job_state& job, schema::JobHolds::Reader command, const requester& by,
                                      bool (*may)(schema::HoldType, const requester&)) {
  if (job.ended()) return refuse(pbs_error::job_has_finished);
  if (!may_act(job, by)) return refuse(pbs_error::unauthorized);
  for (auto h : command.getHolds())
    if (!may(h, by)) return refuse(pbs_error::unauthorized);
  if (job.phase == phase::exiting) return refuse(pbs_error::bad_state);
  return std::nullopt;
}

std::uint8_t bit(schema::HoldType h) { return static_cast<std::uint8_t>(1u << static_cast<unsigned>(h)); }

void copy_holds(const std::vector<schema::HoldType>& from, schema::JobHeld::Builder to) {
  auto list = to.initHolds(static_cast<unsigned>(from.size()));
  for (unsigned i = 0; i < from.size(); ++i) list.set(i, from[i]);
}

// No hold (-h n) still leaves the comment.
outcome decide_hold(const job_state& job, schema::JobHolds::Reader command, const stamp& now) {
  if (auto why = hold_refusal(job, command, now.by, may_hold)) return *why;
  std::vector<schema::HoldType> fresh;
  for (auto h : command.getHolds())
    if (!(job.holds & bit(h))) fresh.push_back(h);
  if (fresh.empty() && command.getHolds().size() > 0) return no_change;
  std::vector<event> out{make_event([&](auto e) {
    auto held = e.initJob().initHeld();
    copy_holds(fresh, held);
    held.setComment("Job held by " + now.by.user + " on " + values::print_date(now.seconds()));
  })};
  if (!fresh.empty() && may_checkpoint(job)) out.push_back(checkpoint_asked(job));
  return out;
}

// The release of the last hold takes the comment off, whoever wrote it.
outcome decide_release(const job_state& job, schema::JobHolds::Reader command, const stamp& now) {
  if (auto why = hold_refusal(job, command, now.by, may_release)) return *why;
  std::vector<schema::HoldType> there;
  for (auto h : command.getHolds())
    if (job.holds & bit(h)) there.push_back(h);
  if (there.empty() && (job.holds != 0 || job.attribute(ids::comment).empty())) return no_change;
  return std::vector<event>{make_event([&](auto e) { copy_holds(there, e.initJob().initReleased()); })};
}

// An operator's force: the server forgets the run at once, whatever its host does (pbs guide: transitions). This is also
// how vnodes come back from a host that never will.
outcome forget_run(const job_state& job, schema::DeleteJob::Reader command, const stamp& now, const settings& settings) {
  constexpr std::int32_t exit_killed = 265;
  std::vector<event> out{delete_requested(command)};
  auto gone = job;
  gone.delete_requested = true;
  gone.purge_history |= command.getPurgeHistory();
  if (gone.deleted_by.empty()) gone.deleted_by = now.by.at_host();
  lose_run(gone, exit_killed, run_loss::forced, now, settings, out);
  return out;
}

outcome decide_delete(const job_state& job, schema::DeleteJob::Reader command, const stamp& now, const settings& settings) {
  if (job.ended() && !command.getPurgeHistory()) return refuse(pbs_error::job_has_finished);  // told to anybody
  if (!may_act(job, now.by)) return refuse(pbs_error::unauthorized);
  if (job.ended()) {
    return std::vector<event>{delete_requested(command), make_event([](auto e) { e.initJob().setForgotten(); })};
  }
  if (command.getForce() && now.by.is_operator() && !job.allocated.empty()) return forget_run(job, command, now, settings);
  if (job.phase == phase::exiting && job.delete_requested) return refuse(pbs_error::bad_state);
  if (job.delete_requested && (job.delete_forced || !command.getForce())) return no_change;  // asked already
  std::vector<event> out{delete_requested(command)};
  if (job.phase <= phase::waiting) {
    auto gone = job;
    gone.purge_history |= command.getPurgeHistory();
    end_job(gone, 0, false, " and terminated", settings, out);
  }
  return out;
}

// By force the server forgets the run at once, whatever its host does, and queues the job again.
outcome requeue_by_force(const job_state& job, const stamp& now, const settings& settings) {
  constexpr std::int32_t exit_rerun = -11;
  if (job.delete_requested) return refuse(pbs_error::bad_state);
  std::vector<event> out{make_event([](auto e) { e.initJob().initRerunRequested().setForce(true); })};
  auto gone = job;
  gone.rerun_requested = true;
  lose_run(gone, exit_rerun, run_loss::forced, now, settings, out);
  return out;
}

}  // namespace

outcome decide_rerun(const job_state& job, schema::RerunJob::Reader command, const stamp& now, const settings& settings, bool preempted) {
  if (job.ended()) return refuse(pbs_error::job_has_finished);
  if (!now.by.is_operator()) return refuse(pbs_error::unauthorized);
  // A MoM asks for its hooks, and those of execjob_epilogue run when the program has ended (pbs guide: job.rerun()).
  const bool by_epilogue = job.phase == phase::exiting && now.by.role == schema::Role::MOM;
  // Nobody would sit at another run of an interactive job.
  const bool by_force = command.getForce() && job.attribute(ids::interactive) != "True";
  if (!by_force && job.attribute(ids::Rerunable) == "False") return refuse(pbs_error::not_rerunnable);
  if (!job.running() && !by_epilogue) return refuse(pbs_error::bad_state);
  if (command.getForce()) return requeue_by_force(job, now, settings);
  if (job.rerun_requested) return no_change;
  return std::vector<event>{make_event([&](auto e) { e.initJob().initRerunRequested().setPreempted(preempted); })};
}

event delete_requested(schema::DeleteJob::Reader command) {
  return make_event([&](auto e) {
    auto d = e.initJob().initDeleteRequested();
    d.setForce(command.getForce());
    d.setPurgeHistory(command.getPurgeHistory());
    d.setNoMail(command.getNoMail());
  });
}

bool may_act(const job_state& job, const requester& by) {
  return by.is_operator() || job.owner() == by.at_host() || job.owner_name() == by.user;
}

namespace {

void forget_if_without_history(const job_state& job, const settings& settings, std::vector<event>& out) {
  if (job.purge_history || history_seconds(settings) == 0)
    out.push_back(make_event([](auto e) { e.initJob().setForgotten(); }));
}

}  // namespace

void end_by_server(const job_state& job, std::uint16_t substate, std::string_view reason, const settings& settings,
                   std::vector<event>& out) {
  out.push_back(make_event([&](auto e) {
    auto ended = e.initJob().initEnded();
    ended.setSubstate(substate);
    ended.setReason(std::string(reason));
  }));
  forget_if_without_history(job, settings, out);
}

void end_job(const job_state& job, std::int32_t code, bool has_code, std::string comment_suffix, const settings& settings,
             std::vector<event>& out) {
  // pbs guide: substates 91 deleted, 92 exit status 0, 93 any other.
  const bool deleted = job.delete_requested || !has_code;
  const std::uint16_t substate = deleted ? 91 : code == 0 ? 92
                                                          : 93;
  out.push_back(make_event([&](auto e) {
    auto x = e.initJob().initEnded();
    x.setExitStatus(code);
    x.setHasExitStatus(has_code);
    x.setSubstate(substate);
    x.setCommentSuffix(comment_suffix);
  }));
  forget_if_without_history(job, settings, out);
}

outcome decide_request(const job_state& job, const client_request& command, const stamp& now, const settings& settings) {
  if (job.phase == phase::none || job.phase == phase::forgotten) return refuse(pbs_error::unknown_job);
  const auto r = command.request.get();
  switch (r.which()) {
    case schema::Request::HOLD_JOB: return decide_hold(job, r.getHoldJob(), now);
    case schema::Request::RELEASE_JOB: return decide_release(job, r.getReleaseJob(), now);
    case schema::Request::DELETE_JOB: return decide_delete(job, r.getDeleteJob(), now, settings);
    case schema::Request::RERUN_JOB: return decide_rerun(job, r.getRerunJob(), now, settings);
    case schema::Request::ALTER_JOB: return decide_alter(job, command, now, settings);
    case schema::Request::SIGNAL_JOB: return decide_signal(job, r.getSignalJob(), now, settings);
    case schema::Request::MOVE_JOB: return decide_move(job, r.getMoveJob(), now, settings);
    case schema::Request::RELEASE_NODES: return decide_release_nodes(job, command, now, settings);
    case schema::Request::MESSAGE_JOB: return decide_message(job, r.getMessageJob(), now);
    default: return refuse(pbs_error::no_support);
  }
}

outcome decide(const job_state& job, const job_command& command, const stamp& now, const settings& settings) {
  struct visitor {
    const job_state& job;
    const stamp& now;
    const model::settings& settings;
    outcome operator()(const submit_job& c) const {
      ANNALS_INVARIANT(job.phase == phase::none, "a job is submitted once");
      return decide_submit(c, now, settings);
    }
    outcome operator()(const client_request& c) const { return decide_request(job, c, now, settings); }
    outcome operator()(const hook_changes& c) const { return decide_hook_changes(job, c, now, settings); }
    outcome operator()(const mom_report& c) const { return decide_report(job, c, now, settings); }
    outcome operator()(const proposed_run& c) const { return decide_run(job, c, now, settings); }
    outcome operator()(const make_room& c) const { return decide_make_room(job, c, now, settings); }
    outcome operator()(const resume_later&) const { return decide_resume_later(job); }
    outcome operator()(const host_load& c) const { return decide_load(job, c); }
    outcome operator()(const set_rank& c) const { return decide_set_rank(job, c, now); }
    outcome operator()(const end_wait&) const { return decide_end_wait(job, now); }
    outcome operator()(const run_lost& c) const { return decide_lost(job, c, now, settings); }
    outcome operator()(const server_stops& c) const { return decide_server_stops(job, c); }
    outcome operator()(const run_gone_from& c) const { return decide_gone(job, c, now, settings); }
    outcome operator()(const vnode_provisioned& c) const { return decide_provisioned(job, c, now, settings); }
    outcome operator()(const dependency_told& c) const { return decide_dependency(job, c, settings); }
    outcome operator()(const subjob_told& c) const { return decide_subjob_told(job, c, now, settings); }
    outcome operator()(const forget_job& c) const { return decide_forget(job, c, now, settings); }
  };
  if (auto as_array = decide_array(job, command, now, settings)) return *std::move(as_array);
  return std::visit(visitor{job, now, settings}, command);
}

}  // namespace annals::model
