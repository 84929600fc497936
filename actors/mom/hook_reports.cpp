// What the server is told of hooks on a host: what they did, and what they want of it.
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "actors/mom/mom_hooks.hpp"
#include "events/attributes/ids.hpp"
#include "events/values/string_list.hpp"
#include "hooks-runtime/catalog/texts.hpp"

namespace annals::actors {

namespace {

using changes_of = std::vector<const hooks::hook_change*>;
using by_object = std::map<std::string, changes_of>;

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
wanted_changes changes_by(const std::string& hook, const hooks::chain_result& result, const std::set<std::string>& made_here) {
  wanted_changes out;
  for (const auto& c : result.changes) {
    if (c.hook != hook) continue;
    if (c.parameter == "job") out.job.push_back(&c);
    if (c.parameter == "job_list") out.jobs[c.object].push_back(&c);
    if ((c.parameter == "vnode_list" || c.parameter == "vnode_list_fail") && !made_here.contains(c.object)) out.vnodes[c.object].push_back(&c);
  }
  return out;
}

void fill_actions(hooks::protocol::Reply::Reader reply, schema::HookReport::Builder to) {
  for (auto action : reply.getActions()) {
    if (action.isRestartCycle()) to.setRestartScheduling(true);
    if (action.isRerun()) to.setRerun(true);
    if (action.isDelete()) to.setDelete(true);
  }
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
  const int actions = (has("offline_vnodes") ? hooks::offline_vnodes : 0) | (has("scheduler_restart_cycle") ? hooks::scheduler_restart_cycle : 0) |
                      (has("clear_vnodes_upon_recovery") ? hooks::clear_vnodes_upon_recovery : 0);
  return static_cast<std::uint8_t>(actions & event.fail_actions);
}

template <class Fill>
void mom_hooks::tell_surely(Fill&& fill) {
  const auto position = outbox_.next_position(parts_.clock->now_ns());
  auto message = schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
    auto r = m.initHookReport();
    r.setPosition(position);
    fill(r);
  });
  tell_(message);
  outbox_.put(position, std::move(message));
}

void mom_hooks::report(const hooks::hook_event& event, schema::RunRef::Reader ref, const hooks::chain_result& result) {
  std::set<std::string> made_here;
  for (const auto& [name, vnode] : made_vnodes_) made_here.insert(name);
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    const auto hook = schema::str(result.runs[i].get().getHook());
    const auto wanted = changes_by(hook, result, made_here);
    const bool failed = std::find(result.failed.begin(), result.failed.end(), hook) != result.failed.end();
    const auto actions = fail_actions_of(hook, event);
    const bool offlines = failed && (actions & hooks::offline_vnodes);
    const auto mark = parts_.directory + "/" + hook + ".offlined";        // there until the hook succeeds
    const bool recovers = !failed && (actions & hooks::clear_vnodes_upon_recovery) && ::access(mark.c_str(), F_OK) == 0;
    if (offlines) std::ofstream{mark};
    tell_surely([&](schema::HookReport::Builder r) {
      if (ref.getJobSerial() != 0) r.setRef(ref);
      r.setRun(result.runs[i].get());
      if (failed && (actions & hooks::scheduler_restart_cycle)) r.setRestartScheduling(true);
      fill_all(r.initJobChanges(static_cast<unsigned>(wanted.job.size())), wanted.job);
      auto vnodes = r.initVnodes(static_cast<unsigned>(wanted.vnodes.size() + (offlines || recovers ? 1 : 0)));
      unsigned v = 0;
      for (const auto& [name, changes] : wanted.vnodes) {
        vnodes[v].setVnode(name);
        fill_all(vnodes[v++].initChanges(static_cast<unsigned>(changes.size())), changes);
      }
      if (offlines) fill_offline(vnodes[v], parts_.host, hook);
      if (recovers) fill_recovered(vnodes[v], parts_.host);
      fill_actions(result.replies[i].get(), r);
    });
    if (recovers) ::unlink(mark.c_str());
    for (const auto& [job, changes] : wanted.jobs) report_of_job(job, result.runs[i].get(), changes);
  }
}

// exechost_periodic: what it set of one of the jobs here.
void mom_hooks::report_of_job(const std::string& id, schema::HookRun::Reader run, const std::vector<const hooks::hook_change*>& changes) {
  const auto at = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& j) { return schema::text(j.second.job.order().getRef().getJob()) == id; });
  if (at == jobs_.end()) return;                        // it ended meanwhile
  tell_surely([&](schema::HookReport::Builder r) {
    r.setRef(at->second.job.order().getRef());
    r.setRun(run);
    fill_all(r.initJobChanges(static_cast<unsigned>(changes.size())), changes);
  });
}

}  // namespace annals::actors
