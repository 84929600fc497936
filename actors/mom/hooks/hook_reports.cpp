// What the server is told of hooks on a host: what they did, and what they want of it.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "actors/mom/hooks/mom_hooks.hpp"
#include "actors/mom/host/reboot.hpp"
#include "events/attributes/ids.hpp"
#include "events/values/string_list.hpp"
#include "hooks-runtime/catalog/texts.hpp"

namespace annals::actors {

namespace {

using changes_of = std::vector<const hooks::hook_change*>;
using by_object = std::map<std::string, changes_of>;  // mom_hooks::changes_by_job
constexpr const char* offlined_ending = ".offlined";

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

// What fail_action takes out of service (pbs guide: fail_action offline_vnodes).
void fill_offline(schema::VnodeChanged::Builder to, const std::string& vnode, const std::string& hook) {
  to.setVnode(vnode);
  auto list = to.initChanges(2);
  list[0].setName("state");
  list[0].setValue("offline");
  list[1].setName("comment");
  list[1].setValue(hooks::offlined_comment(hook));
}

// What ends that (fail_action clear_vnodes_upon_recovery).
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

// Of those that the event knows (pbs guide: fail_action).
std::uint8_t mom_hooks::fail_actions_of(const std::string& hook, const hooks::hook_event& event) const {
  const auto at = std::find_if(hooks_.begin(), hooks_.end(), [&](const installed& h) { return h.hook.name == hook; });
  if (at == hooks_.end()) return 0;
  const auto words = values::split_list(at->hook.settings.get(attributes::hook::fail_action).value_or(""));
  const auto has = [&](std::string_view a) { return std::find(words.begin(), words.end(), a) != words.end(); };
  const int actions = (has("offline_vnodes") ? hooks::offline_vnodes : 0) |
                      (has("scheduler_restart_cycle") ? hooks::scheduler_restart_cycle : 0) |
                      (has("clear_vnodes_upon_recovery") ? hooks::clear_vnodes_upon_recovery : 0);
  return static_cast<std::uint8_t>(actions & event.fail_actions);
}

// fail_action means the whole host, as PBS does. What was taken out of service stands in a file until the hook succeeds: nothing
// else comes back then.
mom_hooks::service_change mom_hooks::service_change_of(const std::string& hook, const hooks::hook_event& event, bool failed) const {
  const auto actions = fail_actions_of(hook, event);
  const auto marked = values::split_list(files_.read(hook + offlined_ending).value_or(""));
  service_change change;
  if (!failed && (actions & hooks::clear_vnodes_upon_recovery)) change.recovered = marked;
  if (!failed || !(actions & hooks::offline_vnodes)) return change;
  std::set<std::string> out_of_service(marked.begin(), marked.end());
  for (const auto& v : all_vnodes()) {
    change.offlined.push_back(v.name);
    out_of_service.insert(v.name);
  }
  write_offlined(hook, {out_of_service.begin(), out_of_service.end()});
  return change;
}

void mom_hooks::write_offlined(const std::string& hook, const std::vector<std::string>& vnodes) const {
  std::string problem;
  files_.write(hook + offlined_ending, values::join_list(vnodes), problem);
  if (!problem.empty()) note(log_event::error, hook, problem);
}

template <class Fill>
void mom_hooks::tell_surely(Fill&& fill) {
  const auto position = outbox_.next_position(parts_.clock->now_ns());
  auto message = schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
    auto r = m.initHookReport();
    r.setPosition(position);
    fill(r);
  });
  parts_.aside([this, directory = reports_, position, message] {
    auto wrong = write_hook_report(directory, position, message.bytes());
    return [this, position, message, wrong = std::move(wrong)] {
      if (!wrong.empty())
        note(log_event::error | log_event::force, schema::str(message.get().getHookReport().getRun().getHook()),
             "the report of its run is not safe, it is in memory only: " + wrong);
      outbox_.put(position, message);
      tell_(message);
    };
  });
}

void mom_hooks::when_safe(std::function<void()> then) {
  parts_.aside([then = std::move(then)] { return then; });
}

void mom_hooks::on_ack(schema::HookAck::Reader ack) {
  const auto position = ack.getPosition();
  if (!outbox_.acknowledged(position)) return;
  parts_.aside([directory = reports_, position] {
    remove_hook_report(directory, position);
    return [] {};
  });
}

void mom_hooks::report(const hooks::hook_event& event, schema::RunRef::Reader ref, const hooks::chain_result& result) {
  std::set<std::string> made_here;  // by hooks that have just run: the hello tells of them
  if (makes_vnodes(event))
    for (const auto& [name, vnode] : made_vnodes_) made_here.insert(name);
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    const auto hook = schema::str(result.runs[i].get().getHook());
    const bool of_owner = std::find(result.as_owner.begin(), result.as_owner.end(), hook) != result.as_owner.end();
    auto wanted = changes_by(i, result, made_here);
    if (of_owner && !wanted.vnodes.empty()) {
      note(log_event::admin, hook, "what hook '" + hook + "' set of vnodes is not done: it ran as the job's owner");
      wanted.vnodes.clear();
    }
    const bool failed = std::find(result.failed.begin(), result.failed.end(), hook) != result.failed.end();
    const auto service = service_change_of(hook, event, failed);
    tell_surely([&](schema::HookReport::Builder r) {
      if (ref.getJobSerial() != 0) r.setRef(ref);
      r.setRun(result.runs[i].get());
      if (failed && (fail_actions_of(hook, event) & hooks::scheduler_restart_cycle)) r.setRestartScheduling(true);
      fill_all(r.initJobChanges(static_cast<unsigned>(wanted.job.size())), wanted.job);
      auto vnodes = r.initVnodes(static_cast<unsigned>(wanted.vnodes.size() + service.offlined.size() + service.recovered.size()));
      unsigned v = 0;
      for (const auto& [name, changes] : wanted.vnodes) {
        vnodes[v].setVnode(name);
        fill_all(vnodes[v++].initChanges(static_cast<unsigned>(changes.size())), changes);
      }
      for (const auto& name : service.offlined) fill_offline(vnodes[v++], name, hook);
      for (const auto& name : service.recovered) fill_recovered(vnodes[v++], name);
      fill_actions(result.replies[i].get(), r);
      if (makes_vnodes(event)) fill_resources(result.replies[i].get(), r);
      if (ref.getJobSerial() != 0) fill_end_of(schema::text(ref.getJob()), event, result.replies[i].get(), r);
    });
    if (!service.recovered.empty()) write_offlined(hook, {});
    if (event.side == hooks::event_side::mom_periodic) report_of_jobs(event, result.runs[i].get(), result.replies[i].get(), wanted.jobs);
    if (!of_owner) reboot_if_asked(hook, result.replies[i]);
  }
}

// After what the run did is in the outbox.
void mom_hooks::reboot_if_asked(const std::string& hook, const hooks::sealed_reply& reply) {
  using hooks::protocol::Verdict;
  const auto r = reply.get();
  if (r.getVerdict() != Verdict::ACCEPT && r.getVerdict() != Verdict::REJECT) return;
  for (auto action : r.getActions()) {
    if (!action.isReboot()) continue;
    return when_safe([this, hook, how = schema::str(action.getReboot())] {
      note(log_event::system, hook, hook + " requested for host to be rebooted");
      if (!annals::mom::order_reboot(how)) note(log_event::error, hook, "the host is not rebooted: " + std::string(std::strerror(errno)));
    });
  }
}

// exechost_periodic: what it wants of the jobs here.
void mom_hooks::report_of_jobs(const hooks::hook_event& event, schema::HookRun::Reader run, hooks::protocol::Reply::Reader reply,
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
