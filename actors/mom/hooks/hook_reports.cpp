#include "actors/mom/hooks/hook_reports.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "actors/mom/host/reboot.hpp"
#include "hooks-runtime/catalog/texts.hpp"

namespace annals::actors {

namespace {

using changes_of = std::vector<const hooks::hook_change*>;
using by_object = std::map<std::string, changes_of>;   // hook_reports::changes_by_job
constexpr std::int64_t tell_again_ns = 5'000'000'000;  // as the other reports of a MoM

void fill(schema::Attribute::Builder to, const hooks::hook_change& c) {
  to.setName(c.attribute);
  to.setResource(c.resource);
  to.setValue(c.after);
  to.setOp(c.has_value ? schema::AttributeOp::SET : schema::AttributeOp::UNSET);
}
template <class List>
void fill_all(List&& to, const changes_of& from) {
  for (unsigned i = 0; i < from.size(); ++i) fill(to[i], *from[i]);
}

// Takes a vnode out of service (pbs guide: fail_action offline_vnodes).
void fill_offline(schema::VnodeChanged::Builder to, const std::string& vnode, const std::string& hook) {
  to.setVnode(vnode);
  auto list = to.initChanges(2);
  list[0].setName("state");
  list[0].setValue("offline");
  list[1].setName("comment");
  list[1].setValue(hooks::offlined_comment(hook));
}

// Takes it back into service (fail_action clear_vnodes_upon_recovery).
void fill_recovered(schema::VnodeChanged::Builder to, const std::string& vnode) {
  to.setVnode(vnode);
  auto list = to.initChanges(2);
  list[0].setName("state");
  list[0].setValue("free");
  list[1].setName("comment");
  list[1].setOp(schema::AttributeOp::UNSET);
}

struct wanted_changes {
  changes_of job;
  by_object vnodes, jobs;
};
wanted_changes changes_by(std::size_t run, const hooks::chain_result& result, const std::set<std::string>& made_here) {
  wanted_changes out;
  for (const auto& c : result.changes) {
    if (c.run != run) continue;
    const auto object = schema::str(c.object);
    if (hooks::stays_on_host(schema::text(c.attribute))) {  // that a periodic hook set it is told of its job
      if (c.parameter == "job_list") out.jobs[object];
      continue;
    }
    if (c.parameter == "job") out.job.push_back(&c);
    if (c.parameter == "job_list") out.jobs[object].push_back(&c);
    if ((c.parameter == "vnode_list" || c.parameter == "vnode_list_fail") && !made_here.contains(object)) out.vnodes[object].push_back(&c);
  }
  return out;
}

// rerun() and delete() of this job. Before its program the run's own refusal says so (19.2 of the pbs guide: -16 to -19).
void fill_end_of(std::string_view job, const hooks::hook_event& event, hooks::protocol::Reply::Reader reply,
                 schema::HookReport::Builder to) {
  const std::string_view at = event.name;
  if (at == "execjob_begin" || at == "execjob_prologue" || at == "execjob_launch" || at == "execjob_abort") return;
  for (auto action : reply.getActions()) {
    if (action.isRerun() && schema::text(action.getRerun()) == job) to.setRerun(true);
    if (action.isDelete() && schema::text(action.getDelete()) == job) to.setDelete(true);
  }
}

void fill_actions(hooks::protocol::Reply::Reader reply, schema::HookReport::Builder to) {
  for (auto action : reply.getActions())
    if (action.isRestartCycle()) to.setRestartScheduling(true);
}

// Resources that exechost_startup hooks named.
void fill_resources(hooks::protocol::Reply::Reader reply, schema::HookReport::Builder to) {
  auto resources = to.initResources(reply.getCustomResources().size());
  for (unsigned i = 0; i < resources.size(); ++i) {
    resources[i].setName(reply.getCustomResources()[i].getName());
    resources[i].setType(reply.getCustomResources()[i].getType());
  }
}

}  // namespace

// fail_action means the whole host, as PBS does. What was taken out of service stands in a file until the hook succeeds: nothing
// else comes back then.
hook_reports::service_change hook_reports::service_change_of(const std::string& hook, const hooks::hook_event& event, bool failed) const {
  const auto actions = hooks_.fail_actions_of(hook, event);
  const auto marked = hooks_.offlined(hook);
  service_change change;
  if (!failed && (actions & hooks::clear_vnodes_upon_recovery)) change.recovered = marked;
  if (!failed || !(actions & hooks::offline_vnodes)) return change;
  std::set<std::string> out_of_service(marked.begin(), marked.end());
  for (const auto& v : vnodes_.all()) {
    change.offlined.push_back(v.name);
    out_of_service.insert(v.name);
  }
  hooks_.write_offlined(hook, {out_of_service.begin(), out_of_service.end()});
  return change;
}

void hook_reports::tell_again_if_late(std::int64_t now_ns) {
  if (outbox_.empty() || (now_ns - told_again_ns_ < tell_again_ns && now_ns >= told_again_ns_)) return;
  told_again_ns_ = now_ns;
  tell_again();
}

template <class Fill>
void hook_reports::tell_surely(Fill&& fill) {
  const auto position = outbox_.next_position(parts_.clock->now_ns());
  auto message = schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
    auto r = m.initHookReport();
    r.setPosition(position);
    fill(r);
  });
  parts_.aside([this, directory = directory_, position, message] {
    auto wrong = write_hook_report(directory, position, message.bytes());
    return [this, position, message, wrong = std::move(wrong)] {
      if (!wrong.empty())
        parts_.note(log_event::error | log_event::force, schema::str(message.get().getHookReport().getRun().getHook()),
                    "the report of its run is not safe, it is in memory only: " + wrong);
      outbox_.put(position, message);
      tell_(message);
    };
  });
}

void hook_reports::when_safe(std::function<void()> then) const {
  parts_.aside([then = std::move(then)] { return then; });
}

void hook_reports::acknowledged(std::uint64_t position) {
  if (!outbox_.acknowledged(position)) return;
  parts_.aside([directory = directory_, position] {
    remove_hook_report(directory, position);
    return [] {};
  });
}

void hook_reports::report(const hooks::hook_event& event, schema::RunRef::Reader ref, const hooks::chain_result& result) {
  // Vnodes of hooks that have just run: the hello tells of them.
  const auto made_here = makes_vnodes(event) ? vnodes_.names_made() : std::set<std::string>();
  for (std::size_t i = 0; i < result.runs.size(); ++i) report_run(i, event, ref, result, made_here);
}

void hook_reports::report_run(std::size_t run, const hooks::hook_event& event, schema::RunRef::Reader ref,
                              const hooks::chain_result& result, const std::set<std::string>& made_here) {
  const auto hook = schema::str(result.runs[run].get().getHook());
  const bool of_owner = std::find(result.as_owner.begin(), result.as_owner.end(), hook) != result.as_owner.end();
  auto wanted = changes_by(run, result, made_here);
  if (of_owner && !wanted.vnodes.empty()) {
    parts_.note(log_event::admin, hook, "what hook '" + hook + "' set of vnodes is not done: it ran as the job's owner");
    wanted.vnodes.clear();
  }
  const bool failed = std::find(result.failed.begin(), result.failed.end(), hook) != result.failed.end();
  const auto service = service_change_of(hook, event, failed);
  tell_surely([&](schema::HookReport::Builder r) {
    if (ref.getJobSerial() != 0) r.setRef(ref);
    r.setRun(result.runs[run].get());
    if (failed && (hooks_.fail_actions_of(hook, event) & hooks::scheduler_restart_cycle)) r.setRestartScheduling(true);
    fill_all(r.initJobChanges(static_cast<unsigned>(wanted.job.size())), wanted.job);
    auto vnodes = r.initVnodes(static_cast<unsigned>(wanted.vnodes.size() + service.offlined.size() + service.recovered.size()));
    unsigned v = 0;
    for (const auto& [name, changes] : wanted.vnodes) {
      vnodes[v].setVnode(name);
      fill_all(vnodes[v++].initChanges(static_cast<unsigned>(changes.size())), changes);
    }
    for (const auto& name : service.offlined) fill_offline(vnodes[v++], name, hook);
    for (const auto& name : service.recovered) fill_recovered(vnodes[v++], name);
    fill_actions(result.replies[run].get(), r);
    if (makes_vnodes(event)) fill_resources(result.replies[run].get(), r);
    if (ref.getJobSerial() != 0) fill_end_of(schema::text(ref.getJob()), event, result.replies[run].get(), r);
  });
  if (!service.recovered.empty()) hooks_.write_offlined(hook, {});
  if (event.side == hooks::event_side::mom_periodic) report_of_jobs(event, result.runs[run].get(), result.replies[run].get(), wanted.jobs);
  if (!of_owner) reboot_if_asked(hook, result.replies[run]);
}

// After what the run did is in the outbox.
void hook_reports::reboot_if_asked(const std::string& hook, const hooks::sealed_reply& reply) const {
  using hooks::protocol::Verdict;
  const auto r = reply.get();
  if (r.getVerdict() != Verdict::ACCEPT && r.getVerdict() != Verdict::REJECT) return;
  for (auto action : r.getActions()) {
    if (!action.isReboot()) continue;
    return when_safe([this, hook, how = schema::str(action.getReboot())] {
      parts_.note(log_event::system, hook, hook + " requested for host to be rebooted");
      if (!annals::mom::order_reboot(how))
        parts_.note(log_event::error, hook, "the host is not rebooted: " + std::string(std::strerror(errno)));
    });
  }
}

// exechost_periodic: what it wants of the jobs here.
void hook_reports::report_of_jobs(const hooks::hook_event& event, schema::HookRun::Reader run, hooks::protocol::Reply::Reader reply,
                                  const changes_by_job& changes) {
  for (const auto& [key, job] : jobs_) {
    const auto ref = job.job.order().getRef();
    const auto set = changes.find(schema::str(ref.getJob()));
    bool ends = false;
    for (auto action : reply.getActions())
      ends |= (action.isRerun() && action.getRerun() == ref.getJob()) || (action.isDelete() && action.getDelete() == ref.getJob());
    if (set == changes.end() && !ends) continue;
    tell_surely([&](schema::HookReport::Builder r) {
      r.setRef(ref);
      r.setRun(run);
      if (set != changes.end()) fill_all(r.initJobChanges(static_cast<unsigned>(set->second.size())), set->second);
      fill_end_of(schema::text(ref.getJob()), event, reply, r);
    });
  }
}

}  // namespace annals::actors
