// What happens at the points of a run (hook_points.hpp): the events of a point one after another, what the hooks are shown of
// the job, and what becomes of what they changed.
#include "actors/mom/hook_points.hpp"

#include <algorithm>

#include "actors/mom/mom_hooks.hpp"
#include "events/attributes/ids.hpp"
#include "events/model/assignment.hpp"
#include "events/values/duration.hpp"
#include "events/values/string_list.hpp"
#include "hooks-runtime/catalog/texts.hpp"

namespace annals::actors {

namespace {

// pbs guide: MoM exit codes.
constexpr int rejected_requeue = -16, rejected_delete = -17, wants_rerun = -18, wants_delete = -19;

using names = std::vector<const char*>;
const names& events_of(hook_point point) {
  static const names start = {"execjob_begin", "execjob_prologue", "execjob_launch"};
  static const names preterm = {"execjob_preterm"};
  static const names ended = {"execjob_epilogue", "execjob_end"};
  return point == hook_point::start ? start : point == hook_point::preterm ? preterm : ended;
}

std::uint32_t bits_of(hook_point point) {
  std::uint32_t bits = 0;
  for (const char* name : events_of(point)) bits |= hooks::find_event(name)->bit;
  return bits;
}

// The job as it was sent to this host, with what is known of it now.
hooks::hook_object job_of(const at_hook_point& at) {
  const auto order = at.order.get().getStartRun();
  hooks::hook_object job{hooks::protocol::ObjectKind::JOB, schema::str(order.getRef().getJob()), hooks::attributes_of(order.getAttributes())};
  job.put("Job_Owner", {}, schema::text(order.getOwner()));
  job.put("euser", {}, schema::text(order.getEuser()));
  job.put("egroup", {}, schema::text(order.getEgroup()));
  job.put("queue", {}, schema::text(order.getQueue()));
  job.put("exec_vnode", {}, schema::text(order.getExecVnode()));
  job.put("exec_host", {}, schema::text(order.getExecHost()));
  job.put("run_count", {}, std::to_string(order.getRef().getRun()));
  if (at.point != hook_point::ended) return job;
  job.put("Exit_status", {}, std::to_string(at.exit_status));
  const auto used = [&](const char* resource, const std::string& value) { job.put("resources_used", resource, value); };
  used("cput", values::print_duration(static_cast<std::int64_t>(at.usage.cpu_seconds)));
  used("walltime", values::print_duration(static_cast<std::int64_t>(at.usage.wall_seconds)));
  used("mem", std::to_string(at.usage.mem_kb) + "kb");
  used("vmem", std::to_string(at.usage.vmem_kb) + "kb");
  used("ncpus", std::to_string(at.usage.ncpus));
  used("cpupercent", std::to_string(at.usage.cpu_percent));
  return job;
}

// The job's vnodes with what it was given of each (RS-65).
std::vector<hooks::hook_object> vnodes_of(const at_hook_point& at) {
  std::vector<hooks::hook_object> out;
  for (const auto& part : model::assignment_book::parts_of(schema::text(at.order.get().getStartRun().getExecVnode()))) {
    hooks::hook_object vnode{hooks::protocol::ObjectKind::VNODE, part.vnode, {}};
    for (const auto& [resource, amount] : part.asked) vnode.put("resources_assigned", resource, amount.print());
    out.push_back(std::move(vnode));
  }
  return out;
}

void put_program(const ports::run_order& program, hooks::hook_parameters& to) {
  hooks::hook_pairs environment;
  for (const auto& e : program.environment) {
    const auto equals = e.find('=');
    if (equals != std::string::npos) environment.emplace_back(e.substr(0, equals), e.substr(equals + 1));
  }
  to.push_back({"progname", program.program.empty() ? program.shell : program.program.front()});
  to.push_back({"argv", program.program});
  to.push_back({"env", std::move(environment)});
}

void take_program(hooks::hook_parameters& from, ports::run_order& to) {
  if (auto* env = hooks::find_parameter(from, "env")) {
    to.environment.clear();
    for (const auto& [name, value] : std::get<hooks::hook_pairs>(env->value)) to.environment.push_back(name + "=" + value);
  }
  auto* progname = hooks::find_parameter(from, "progname");
  auto* argv = hooks::find_parameter(from, "argv");
  if (!progname || !argv) return;
  const auto& name = std::get<std::string>(progname->value);
  if (to.program.empty()) {
    to.shell = name;                                     // a script job: the shell that reads it
    return;
  }
  to.program = std::get<hooks::hook_texts>(argv->value);
  if (to.program.empty()) to.program.push_back(name);
  else if (!name.empty()) to.program.front() = name;
}

}  // namespace

bool has_hooks(const hook_bits* bits, hook_point point) {
  static const std::uint32_t of_point[] = {bits_of(hook_point::start), bits_of(hook_point::preterm), bits_of(hook_point::ended)};
  if (!bits) return false;
  if (point == hook_point::start && bits->catching_up) return true;
  return (bits->events & of_point[static_cast<std::size_t>(point)]) != 0;
}

struct mom_hooks::stages {
  at_hook_point at;
  passed then;
  hook_point_passed result;
  hooks::hook_object job;                               // as the events before left it
  std::size_t next = 0;
};

void mom_hooks::at_point(at_hook_point at, passed then) {
  if (at.point == hook_point::start && wanted_ && wait_ns_ > 0) {
    const auto until = parts_.clock->now_ns() + wait_ns_;
    starts_.push_back({std::move(at), std::move(then), until});
    return;
  }
  start_now(std::move(at), std::move(then));
}

// Hooks that are on their way have come, or a job has waited for them long enough (sync_mom_hookfiles_timeout).
void mom_hooks::let_start(bool all) {
  const auto now = parts_.clock->now_ns();
  while (!starts_.empty() && (all || starts_.front().until_ns <= now)) {
    auto w = std::move(starts_.front());
    starts_.pop_front();
    start_now(std::move(w.at), std::move(w.then));
  }
}

void mom_hooks::start_now(at_hook_point at, passed then) {
  auto s = std::make_shared<stages>();
  s->job = job_of(at);
  s->result.point = at.point;
  s->result.program = at.program;
  if (at.point == hook_point::start) jobs_[at.key] = s->job;
  if (at.point == hook_point::ended) jobs_.erase(at.key);
  s->at = std::move(at);
  s->then = std::move(then);
  next_stage(s);
}

void mom_hooks::next_stage(const std::shared_ptr<stages>& s) {
  const auto& names = events_of(s->at.point);
  while (s->next < names.size() && !s->result.refused) {
    const auto* event = hooks::find_event(names[s->next++]);
    auto chosen = hooks_at(*event);
    if (chosen.empty()) continue;
    const auto order = s->at.order.get().getStartRun();
    hooks::occasion at;
    at.event = event;
    at.by = {"pbs_mom", parts_.host, schema::Role::MOM};
    at.owner = schema::str(order.getEuser());
    at.parameters.push_back({"job", s->job});
    at.parameters.push_back({"vnode_list", vnodes_of(s->at)});
    if (hooks::find_parameter(*event, "vnode_list_fail")) at.parameters.push_back({"vnode_list_fail", std::vector<hooks::hook_object>{}});
    if (hooks::find_parameter(*event, "progname")) put_program(s->result.program, at.parameters);
    return hooks::run_chain(chain_parts(), std::move(chosen), std::move(at),
                            [this, s, event](hooks::chain_result& result) { stage_over(s, *event, result); });
  }
  s->then(std::move(s->result));
}

void mom_hooks::stage_over(const std::shared_ptr<stages>& s, const hooks::hook_event& event, hooks::chain_result& result) {
  report(event, s->at.order.get().getStartRun().getRef(), result);
  if (const auto* job = hooks::object_of(result.parameters, "job")) s->job = *job;
  if (std::string_view(event.name) == "execjob_launch" && !result.stopped) take_program(result.parameters, s->result.program);
  bool reruns = false, deletes = false;
  for (const auto& reply : result.replies)
    for (auto action : reply.get().getActions()) {
      reruns |= action.isRerun();
      deletes |= action.isDelete();
    }
  if (s->at.point == hook_point::start && (result.stopped || reruns || deletes)) {
    s->result.refused = true;
    s->result.why = {result.stopped ? (deletes ? rejected_delete : rejected_requeue) : (deletes ? wants_delete : wants_rerun), result.why.text};
  }
  if (s->at.point == hook_point::preterm && result.stopped) s->result.refused = true;
  next_stage(s);
}

// -- what the server is told ---------------------------------------------------------------------------------------------

// A hook that raised or met its alarm where its fail_action says what follows (pbs guide: fail_action).
bool mom_hooks::add_fail_action(const hooks::hook_event& event, const std::string& hook, schema::HookReport::Builder report) const {
  const auto at = std::find_if(hooks_.begin(), hooks_.end(), [&](const installed& h) { return h.hook.name == hook; });
  if (at == hooks_.end()) return false;
  const auto actions = values::split_list(at->hook.settings.get(attributes::hook::fail_action).value_or(""));
  const auto has = [&](std::string_view a) { return std::find(actions.begin(), actions.end(), a) != actions.end(); };
  if (has("scheduler_restart_cycle") && (event.fail_actions & hooks::scheduler_restart_cycle)) report.setRestartScheduling(true);
  return has("offline_vnodes") && (event.fail_actions & hooks::offline_vnodes);
}

void mom_hooks::report(const hooks::hook_event& event, schema::RunRef::Reader ref, const hooks::chain_result& result) {
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    const auto hook = schema::str(result.runs[i].get().getHook());
    std::vector<const hooks::hook_change*> of_job;
    std::map<std::string, std::vector<const hooks::hook_change*>> of_vnode;
    for (const auto& c : result.changes) {
      if (c.hook != hook) continue;
      if (c.parameter == "job") of_job.push_back(&c);
      if (c.parameter == "vnode_list" || c.parameter == "vnode_list_fail") of_vnode[c.object].push_back(&c);
    }
    const bool failed = std::find(result.failed.begin(), result.failed.end(), hook) != result.failed.end();
    const auto position = outbox_.next_position(parts_.clock->now_ns());
    auto message = schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
      auto r = m.initHookReport();
      if (ref.getJobSerial() != 0) r.setRef(ref);
      r.setPosition(position);
      r.setRun(result.runs[i].get());
      const bool offlines = failed && add_fail_action(event, hook, r);
      const auto fill = [](auto to, const hooks::hook_change& c) {
        to.setName(c.attribute);
        to.setResource(c.resource);
        to.setValue(c.after);
        to.setOp(c.has_value ? schema::AttributeOp::SET : schema::AttributeOp::UNSET);
      };
      auto job = r.initJobChanges(static_cast<unsigned>(of_job.size()));
      for (unsigned n = 0; n < of_job.size(); ++n) fill(job[n], *of_job[n]);
      auto vnodes = r.initVnodes(static_cast<unsigned>(of_vnode.size() + (offlines ? 1 : 0)));
      unsigned v = 0;
      for (const auto& [name, changes] : of_vnode) {
        vnodes[v].setVnode(name);
        auto list = vnodes[v++].initChanges(static_cast<unsigned>(changes.size()));
        for (unsigned n = 0; n < changes.size(); ++n) fill(list[n], *changes[n]);
      }
      if (offlines) {
        vnodes[v].setVnode(parts_.host);
        auto list = vnodes[v].initChanges(2);
        list[0].setName("state");
        list[0].setValue("offline");
        list[1].setName("comment");
        list[1].setValue(hooks::offlined_comment(hook));
      }
      const auto reply = result.replies[i].get();
      for (auto action : reply.getActions()) {
        if (action.isRestartCycle()) r.setRestartScheduling(true);
        if (action.isRerun()) r.setRerun(true);
        if (action.isDelete()) r.setDelete(true);
      }
      auto resources = r.initResources(reply.getCustomResources().size());
      for (unsigned n = 0; n < resources.size(); ++n) {
        resources[n].setName(reply.getCustomResources()[n].getName());
        resources[n].setType(reply.getCustomResources()[n].getType());
      }
    });
    tell_(message);
    outbox_.put(position, std::move(message));
  }
}

}  // namespace annals::actors
