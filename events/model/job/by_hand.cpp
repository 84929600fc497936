// What is done with a job by hand: signals and messages for its processes, suspension, its place in the order; and that the load of a
// host stops it. Source: pbs guide, qsig, qmsg, qorder, restrict_res_to_release_on_suspend, $max_load.
#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/job/run_rights.hpp"
#include "events/model/limits.hpp"
#include "events/model/refuse.hpp"
#include "events/schema/client.capnp.h"
#include "events/values/exec_vnode.hpp"
#include "events/values/signal_name.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

namespace ids = attributes::job;
namespace pbs_error = values::pbs_error;

namespace {

struct release {
  std::string what;
  bool partly;
};

// What a suspended job gives up: everything, or of its exec_vnode the resources the administrator chose.
release released_by(const job_state& job, const settings& settings) {
  const auto& exec_vnode = job.uses().exec_vnode();
  const auto chosen = settings.server.get(attributes::server::restrict_res_to_release_on_suspend);
  if (!chosen) return {exec_vnode, false};
  const auto names = values::split_list(*chosen);
  auto spec = values::parse_exec_vnode(exec_vnode).value_or(values::exec_vnode_spec{});
  for (auto& chunk : spec.chunks) {
    for (auto& part : chunk.parts)
      std::erase_if(part.resources,
                    [&](const values::named_value& v) { return std::find(names.begin(), names.end(), v.name) == names.end(); });
    std::erase_if(chunk.parts, [](const values::vnode_part& p) { return p.resources.empty(); });
  }
  std::erase_if(spec.chunks, [](const values::exec_chunk& c) { return c.parts.empty(); });
  return {values::print(spec), true};
}

// `resumes`: it goes on when a scheduler has room for it again.
outcome suspend(const job_state& job, bool admin, bool resumes, const settings& settings) {
  if (job.phase != job_phase::started) return refuse(pbs_error::bad_state);
  std::vector<event> out{make_event([&](auto e) {
    auto s = e.initJob().initSuspended();
    s.setRun(job.run);
    s.setRequest(job.stopped() ? 0 : job.last_request + 1);
    s.setAdmin(admin);
  })};
  out.push_back(make_event([&](auto e) {
    const auto given_up = released_by(job, settings);
    auto r = e.initJob().initVnodesReleased();
    r.setRun(job.run);
    r.setExecVnode(given_up.what);
    r.setWhy(schema::ReleaseReason::SUSPENDED);
    r.setAmountsOnly(given_up.partly);
  }));
  if (resumes) out.push_back(make_event([](auto e) { e.initJob().setResumeWanted(); }));
  return out;
}

outcome checkpoint(const job_state& job) {
  if (job.is_checkpointing()) return no_change;
  if (!may_checkpoint(job)) return refuse(pbs_error::no_support);
  return std::vector<event>{checkpoint_asked(job, true)};
}

// The ledger refuses it when there is no room: the gateway then asks for resume_later.
outcome resume(const job_state& job, bool admin) {
  if (job.phase != job_phase::suspended) return refuse(pbs_error::bad_state);
  if (job.admin_suspended != admin) return refuse(pbs_error::wrong_resume);
  return resumed_events(job);
}

bool is_suspension(std::string_view signal) {
  return signal == "suspend" || signal == "resume" || signal == "admin-suspend" || signal == "admin-resume";
}

}  // namespace

std::optional<rejection> has_too_many_requests(const job_state& job) {
  if (job.requests.size() < limits::open_requests_max) return std::nullopt;
  return refuse(pbs_error::try_again,
                "Please retry: the job's host has not taken " + std::to_string(limits::open_requests_max) + " signals and messages");
}

std::optional<rejection> cannot_tell(const job_state& job, const requester& by) {
  if (job.ended()) return refuse(pbs_error::job_has_finished);
  if (!may_act(job, by)) return refuse(pbs_error::unauthorized);
  if (!job.running()) return refuse(pbs_error::bad_state);
  return has_too_many_requests(job);
}

outcome decide_signal(const job_state& job, schema::SignalJob::Reader command, const stamp& now, const settings& settings) {
  const auto signal = schema::text(command.getSignal());
  if (is_suspension(signal) && !job.ended() && !now.by.is_operator()) return refuse(pbs_error::unauthorized);
  if (auto why = cannot_tell(job, now.by)) return *why;
  if (is_suspension(signal)) {
    const bool admin = signal.starts_with("admin-");
    return signal.ends_with("suspend") ? suspend(job, admin, false, settings) : resume(job, admin);
  }
  if (!values::parse_signal(signal)) return refuse(pbs_error::unknown_signal);
  return std::vector<event>{make_event([&](auto e) {
    auto s = e.initJob().initSignalled();
    s.setRun(job.run);
    s.setRequest(job.last_request + 1);
    s.setSignal(command.getSignal());
  })};
}

bool job_state::is_checkpointing() const { return !requests.empty() && requests.front().what == run_request::kind::checkpoint; }

// Requests before it are carried out first; it is asked for when there are none. A subjob that is queued again is another job.
bool may_checkpoint(const job_state& job) {
  return job.phase == job_phase::started && job.busy_hosts.empty() && job.can_checkpoint && !job.is_subjob() && job.requests.empty() &&
         job.attribute(ids::Checkpoint) != "n" && !job.delete_requested && !job.rerun_requested && !job.aborted;
}

event checkpoint_asked(const job_state& job, bool preempted) {
  return make_event([&](auto e) {
    auto s = e.initJob().initSignalled();
    s.setRun(job.run);
    s.setRequest(job.last_request + 1);
    s.setCheckpoint(true);
    s.setPreempted(preempted);
  });
}

outcome decide_make_room(const job_state& job, const make_room& command, const stamp& now, const settings& settings) {
  if (auto why = preemption_refusal(job, command.scheduler, settings)) return *why;
  const auto asked = command.what.request.get();
  if (asked.isRerunJob() && job.running()) return decide_rerun(job, asked.getRerunJob(), now, settings, true);
  if (!asked.isSignalJob()) return decide_request(job, command.what, now, settings);
  if (auto why = cannot_tell(job, now.by)) return *why;
  if (schema::text(asked.getSignalJob().getSignal()) == "checkpoint") return checkpoint(job);
  return suspend(job, false, true, settings);
}

std::vector<event> resumed_events(const job_state& job) {
  std::vector<event> out{make_event([&](auto e) {
    auto r = e.initJob().initResumed();
    r.setRun(job.run);
    r.setRequest(job.busy_hosts.empty() ? job.last_request + 1 : 0);
    r.setAdmin(job.admin_suspended);
  })};
  out.push_back(make_event([&](auto e) {
    auto t = e.initJob().initVnodesTaken();
    t.setRun(job.run);
    t.setExecVnode(job.released);
    t.setPlace(job.allocated.place());
    t.setAmountsOnly(job.released_partly);
  }));
  return out;
}

outcome decide_resume_later(const job_state& job) {
  if (job.phase != job_phase::suspended || job.resume_wanted) return no_change;
  return std::vector<event>{make_event([](auto e) { e.initJob().setResumeWanted(); })};
}

// A host that the run has left keeps nothing stopped.
outcome decide_load(const job_state& job, const host_load& load) {
  if (load.run != job.run || (job.phase != job_phase::started && job.phase != job_phase::suspended)) return no_change;
  const auto known = static_cast<std::size_t>(std::ranges::count(job.busy_hosts, load.host));
  const bool stops = load.suspends && job.allocated.is_on(load.host);
  if (stops == (known > 0)) return no_change;
  const bool others = job.phase == job_phase::suspended || job.busy_hosts.size() > known;
  return std::vector<event>{make_event([&](auto e) {
    auto s = e.initJob().initSignalled();
    s.setRun(job.run);
    s.setRequest(others ? 0 : job.last_request + 1);
    s.setLoadHost(load.host);
    s.setStopped(stops);
  })};
}

outcome decide_set_rank(const job_state& job, const set_rank& command, const stamp& now) {
  if (auto why = reorder_refusal(&job, now.by)) return *why;
  if (job.queue_rank == command.rank) return no_change;
  return std::vector<event>{make_event([&](auto e) { e.initJob().initReordered().setQueueRank(command.rank); })};
}

outcome decide_message(const job_state& job, schema::MessageJob::Reader command, const stamp& now) {
  if (auto why = cannot_tell(job, now.by)) return *why;
  if (command.getText().size() > limits::message_bytes_max)
    return refuse(pbs_error::bad_value,
                  "Illegal attribute or resource value: a message has at most " + std::to_string(limits::message_bytes_max) + " bytes");
  return std::vector<event>{make_event([&](auto e) {
    auto m = e.initJob().initMessaged();
    m.setRun(job.run);
    m.setRequest(job.last_request + 1);
    m.setText(command.getText());
    m.setToErrors(command.getToErrors());
    m.setToOutput(command.getToOutput());
  })};
}

}  // namespace annals::model
