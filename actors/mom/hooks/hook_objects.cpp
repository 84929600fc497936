#include "actors/mom/hooks/hook_objects.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "events/model/vnodes/amounts.hpp"
#include "events/values/duration.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/string_list.hpp"
#include "hooks-runtime/protocol/recorded_run.hpp"

namespace annals::actors {

namespace {

constexpr std::string_view node_file = "PBS_NODEFILE=";

void put_all(const model::usage_set& usage, hooks::hook_object& job) {
  for (const auto& used : usage) job.put("resources_used", used.resource, used.value);
}

// What nobody has measured here is shown as nothing used.
void put_usage(const model::usage_set& usage, hooks::hook_object& job) {
  put_all(model::with_hooks(model::measured_usage({}), usage), job);
}

// The first host alone knows where all MoMs of the job listen: others are not told its port.
std::optional<std::string> exec_host_with_ports(const hooked_job& from, std::uint16_t own) {
  if (!from.primary) return std::nullopt;
  std::map<std::string_view, std::uint16_t> others;
  for (auto s : from.order().getSisters()) others.emplace(schema::text(s.getHost()), s.getPort());
  const auto& hosts = from.allocated.hosts();
  return hooks::with_ports(from.allocated.exec_host(), [&](const std::string& host) {
    const auto other = others.find(host);
    return other != others.end() ? other->second : !hosts.empty() && host == hosts.front() ? own
                                                                                           : std::uint16_t{0};
  });
}

hooks::hook_object as_sent(const hooked_job& from, std::uint16_t port) {
  const auto order = from.order();
  hooks::hook_object job{hooks::protocol::ObjectKind::JOB, schema::str(order.getRef().getJob()),
                         hooks::attributes_of(order.getAttributes())};
  job.remove("cookie", {});  // shown to nobody
  job.remove("name_end", {});
  job.remove("Submit_arguments", {});  // PBS sends no host them
  job.put("Job_Owner", {}, schema::text(order.getOwner()));
  job.put("euser", {}, schema::text(order.getEuser()));
  job.put("egroup", {}, schema::text(order.getEgroup()));
  job.put("queue", {}, schema::text(order.getQueue()));
  job.put("exec_vnode", {}, from.allocated.exec_vnode());
  job.put("exec_host", {}, from.allocated.exec_host());
  if (const auto with_ports = exec_host_with_ports(from, port)) job.put("exec_host2", {}, *with_ports);
  job.put("run_count", {}, std::to_string(order.getRef().getRun()));
  if (from.session > 0) job.put("session_id", {}, std::to_string(from.session));
  if (!from.jobdir.empty()) job.put("jobdir", {}, from.jobdir);
  return job;
}

// The order has what the job was when it was sent: before its program.
void put_state(std::string_view letter, std::string_view substate, hooks::hook_object& job) {
  job.put("job_state", {}, letter);
  job.put("substate", {}, substate);
}

void put_state(hook_point point, hooks::hook_object& job) {
  switch (point) {
    case hook_point::preterm: return put_state("R", "42", job);
    case hook_point::suspended:
    case hook_point::resuming: return put_state("R", "43", job);
    case hook_point::ended: return put_state("E", "50", job);
    default: return;
  }
}

hooks::hook_object with_changes(hooks::hook_object job, const hooked_job& from) {
  if (!from.before.empty()) {
    hooks::hook_parameters changed{{"job", std::move(job)}};
    put_changes_again(from.before, "job", changed);
    job = std::get<hooks::hook_object>(std::move(changed.front().value));
  }
  put_all(from.used, job);  // later hooks may have set other values
  return job;
}

}  // namespace

hooks::hook_object job_object(const at_hook_point& at, std::uint16_t port) {
  auto job = as_sent(at.job, port);
  put_state(at.point, job);
  if (at.point == hook_point::ended) {
    if (at.exit_status) job.put("Exit_status", {}, std::to_string(*at.exit_status));
    put_usage(at.usage, job);
  }
  if (at.point == hook_point::prologue || at.point == hook_point::launch) {
    job.put("failed_mom_list", {}, values::join_list(at.job.failed));
    job.put("succeeded_mom_list", {}, values::join_list(at.job.succeeded));
  }
  return with_changes(std::move(job), at.job);
}

hooks::hook_object job_object(const job_at_work& at, std::uint16_t port) {
  auto job = as_sent(at.job, port);
  put_state("R", "42", job);
  put_usage(at.usage, job);
  return with_changes(std::move(job), at.job);
}

namespace {

using is_shown = std::function<bool(const std::string& host)>;

std::vector<hooks::hook_object> vnodes_of(const hooked_job& job, const is_shown& shown, const std::vector<hooks::hook_object>& known) {
  std::vector<hooks::hook_object> out;
  const auto vnodes = values::parse_exec_vnode(job.allocated.exec_vnode());
  const auto hosts = values::parse_exec_host(job.allocated.exec_host());
  if (!vnodes || !hosts) return out;
  std::map<std::string, model::amounts> given;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < vnodes->chunks.size(); ++i) {
    if (!shown(i < hosts->size() ? (*hosts)[i].host : std::string())) continue;
    for (const auto& part : vnodes->chunks[i].parts) {
      if (!given.contains(part.vnode)) names.push_back(part.vnode);
      auto& of_vnode = given[part.vnode];
      for (const auto& [resource, text] : part.resources) {
        bool is_amount = false;
        const auto amount = model::read_amount(text, &is_amount);
        if (!is_amount) continue;
        of_vnode[resource].value += amount.value;
        of_vnode[resource].is_size = amount.is_size;
      }
    }
  }
  for (const auto& name : names) {
    const auto here = std::find_if(known.begin(), known.end(), [&](const hooks::hook_object& v) { return v.name == name; });
    auto vnode = here != known.end() ? *here : hooks::hook_object{hooks::protocol::ObjectKind::VNODE, name, {}};
    for (const auto& [resource, amount] : given[name]) vnode.put("resources_assigned", resource, amount.print());
    out.push_back(std::move(vnode));
  }
  return out;
}

}  // namespace

std::vector<hooks::hook_object> vnode_objects(const hooked_job& job, const std::string& host,
                                              const std::vector<hooks::hook_object>& known) {
  return vnodes_of(
      job, [&](const std::string& of) { return job.primary || of == host; }, known);
}

std::vector<hooks::hook_object> failed_vnode_objects(const hooked_job& job) {
  return vnodes_of(job, [&](const std::string& of) { return std::ranges::find(job.failed, of) != job.failed.end(); }, {});
}

void put_program(const ports::run_order& program, hooks::hook_parameters& to) {
  hooks::hook_pairs environment;
  for (const auto& e : program.environment) {
    const auto equals = e.find('=');
    if (equals == std::string::npos || (program.is_task && e.starts_with(node_file))) continue;
    environment.emplace_back(e.substr(0, equals), e.substr(equals + 1));
  }
  to.push_back({"progname", program.program.empty() ? program.shell : program.program.front()});
  to.push_back({"argv", program.program.empty() ? program.shell_args : program.program});
  to.push_back({"env", std::move(environment)});
}

void take_program(hooks::hook_parameters& from, ports::run_order& to) {
  if (auto* env = hooks::find_parameter(from, "env")) {
    std::erase_if(to.environment, [&](const std::string& e) { return !to.is_task || !e.starts_with(node_file); });
    for (const auto& [name, value] : std::get<hooks::hook_pairs>(env->value)) to.environment.push_back(name + "=" + value);
  }
  auto* progname = hooks::find_parameter(from, "progname");
  auto* argv = hooks::find_parameter(from, "argv");
  if (!progname || !argv) return;
  const auto& name = std::get<std::string>(progname->value);
  if (to.program.empty()) {
    to.shell = name;  // a script job: the shell that reads it, which the host looks up where no hook named one
    to.shell_args = std::get<hooks::hook_texts>(argv->value);
    return;
  }
  to.program = std::get<hooks::hook_texts>(argv->value);
  if (to.program.empty()) to.program.push_back(name);
  else if (!name.empty()) to.program.front() = name;
}

void put_changes_again(const std::vector<schema::sealed<schema::HookRun>>& runs, std::string_view only, hooks::hook_parameters& to) {
  for (const auto& run : runs) {
    if (run.get().getVerdict() != schema::HookVerdict::ACCEPTED) continue;
    const auto reply = hooks::reply_of(run.get());
    if (!reply) continue;
    for (auto c : reply->get().getChanges()) {
      const auto change = hooks::change_of(0, c);
      const auto parameter = schema::text(change.parameter);
      const auto* event = hooks::find_event(schema::text(run.get().getEvent()));
      const auto* where = event ? hooks::find_parameter(*event, parameter) : nullptr;
      if (!where || hooks::may_write(*where, schema::text(change.attribute), false) != hooks::set_answer::yes) continue;
      if (only.empty() || parameter == only) hooks::put_change(change, to);
    }
  }
}

std::vector<model::shown_value> order_changes(const std::vector<schema::sealed<schema::HookRun>>& runs) {
  hooks::hook_parameters changed{{"job", hooks::hook_object{}}};
  put_changes_again(runs, "job", changed);
  const auto* variables = hooks::object_of(changed, "job")->find("Variable_List");
  if (!variables) return {};
  return {{variables->name, {}, variables->value}};
}

}  // namespace annals::actors
