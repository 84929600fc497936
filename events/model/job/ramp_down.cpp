// pbs_release_nodes: a running job gives vnodes of its other hosts back, and goes on with the rest (RD-01 to RD-62). Its MoM is asked to
// let them go; until a host has, the job holds what it had there. Or it lets them go by itself when its program has ended
// (release_nodes_on_stageout, RD-63 to RD-72). docs/design/0039-ramp-down.md.
#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "events/attributes/ids.hpp"
#include "events/attributes/request_check.hpp"
#include "events/attributes/select_rules.hpp"
#include "events/model/host/host_limits.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/limits.hpp"
#include "events/model/refuse.hpp"
#include "events/model/vnodes/planned_release.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/values/duration.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

namespace ids = attributes::job;
namespace pbs_error = values::pbs_error;

namespace {

constexpr const char* asked_by = "pbs_release_nodes";
constexpr std::size_t unknown_bytes_max = 4096;  // of names in a refusal, which stands in the log: the first are enough

using vnode_names = values::result<std::vector<std::string>, rejection>;
using plan = values::result<planned_release, rejection>;

// The vnodes that a run has, and their hosts.
std::map<std::string, std::string, std::less<>> hosts_of_vnodes(const allocation& has) {
  const auto slots = values::parse_exec_host(has.exec_host()).value_or(values::exec_host_spec{});
  std::map<std::string, std::string, std::less<>> out;
  values::exec_vnode_reader reader(has.exec_vnode());
  for (values::exec_vnode_reader::part p; reader.next(p);)
    if (p.chunk < slots.size()) out.emplace(p.vnode, slots[p.chunk].host);
  return out;
}

// All vnodes on its other hosts, without the last `keep` of these hosts.
std::vector<std::string> vnodes_of_others(const allocation& has, std::size_t keep = 0) {
  const auto& hosts = has.hosts();
  std::set<std::string> going;
  for (std::size_t i = 1; i + keep < hosts.size(); ++i) going.insert(hosts[i]);
  std::vector<std::string> out;
  for (const auto& [vnode, host] : hosts_of_vnodes(has))
    if (going.contains(host)) out.push_back(vnode);
  return out;
}

// RD-07: a vnode of the job by its name, else all vnodes of the host of that name.
vnode_names named_vnodes(const allocation& has, capnp::List<capnp::Text>::Reader names) {
  if (names.size() > limits::released_names_max)
    return refuse(pbs_error::bad_value, "more than " + std::to_string(limits::released_names_max) + " names of vnodes");
  const auto host_of = hosts_of_vnodes(has);
  std::map<std::string, std::vector<std::string>> on;
  for (const auto& [vnode, host] : host_of) on[host].push_back(vnode);
  std::set<std::string> out;
  std::string unknown;
  for (const auto each : names) {
    const auto name = schema::str(each);
    const auto vnode = host_of.find(name);
    const auto host = vnode != host_of.end() ? vnode->second : name;
    if (host == has.hosts().front())
      return refuse(pbs_error::system_error, "Can't free '" + name + "' since it's on a primary execution host");  // RD-44
    if (vnode != host_of.end()) out.insert(name);
    else if (const auto all = on.find(name); all != on.end()) out.insert(all->second.begin(), all->second.end());
    else if (name.size() > limits::vnode_name_chars_max || std::ranges::any_of(name, [](unsigned char c) { return c < ' '; }))
      return refuse(pbs_error::bad_value, "a name that no vnode can have");
    else if (unknown.size() < unknown_bytes_max) unknown += " " + name;
  }
  if (!unknown.empty() || out.empty())
    return refuse(pbs_error::system_error, "node(s) requested to be released not part of the job:" + unknown);  // RD-47
  return std::vector<std::string>(out.begin(), out.end());
}

plan without_vnodes(const vnode_names& vnodes, const release_from& from, const settings& settings,
                    select_form form = select_form::of_vnodes) {
  if (!vnodes) return vnodes.error();
  if (vnodes->empty()) return planned_release{{}, from.has};  // it has no other hosts
  auto planned = without(*vnodes, from, settings.resources, asked_by, form);
  if (planned) return std::move(*planned);
  return refuse(pbs_error::system_error, "");
}

// RD-61, RD-62
plan with_select(std::string_view text, const release_from& from, const settings& settings) {
  const auto select = values::parse_select(text);
  const auto bad = "Illegal attribute or resource value: select=" + std::string(text.substr(0, 200));
  if (!select || text.size() > limits::keep_select_bytes_max) return refuse(pbs_error::bad_value, bad);
  for (const auto& chunk : select->chunks)
    for (const auto& r : chunk.resources)
      if (!settings.resources.find(r.name)) return refuse(pbs_error::unknown_resource, "Unknown resource: " + r.name);
  if (!attributes::has_good_values(*select, settings.resources)) return refuse(pbs_error::bad_value, bad);
  auto planned = kept_by(*select, from, first_host::stays_beside, settings.resources, asked_by);
  if (planned) return std::move(*planned);
  return refuse(pbs_error::system_error, "");
}

release_from release_of(const job_state& job, vnode_words words = {}) {
  return {job.uses(),
          {},
          {attributes::resources_of(job.attributes, ids::Resource_List), std::string(job.attribute(ids::schedselect))},
          std::move(words)};
}

plan planned_for(const job_state& job, const client_request& command, const settings& settings) {
  const auto asked = command.request.get().getReleaseNodes();
  const auto from = release_of(job, command.words);
  switch (asked.which()) {
    case schema::ReleaseNodes::ALL: return without_vnodes(vnodes_of_others(from.has), from, settings);
    case schema::ReleaseNodes::NAMED: return without_vnodes(named_vnodes(from.has, asked.getNamed()), from, settings);
    case schema::ReleaseNodes::KEEP_SELECT: return with_select(schema::text(asked.getKeepSelect()), from, settings);
    case schema::ReleaseNodes::KEEP_HOSTS:
      return without_vnodes(vnodes_of_others(from.has, asked.getKeepHosts()), from, settings, select_form::as_asked);
  }
  return refuse(pbs_error::no_support);
}

// Its host measures it; what has passed since it told so counts too.
std::int64_t walltime_until(const job_state& job, const stamp& now) {
  const auto told = values::parse_duration(job.attribute(ids::resources_used, "walltime")).value_or(0);
  return job.stopped() ? told : told + std::max<std::int64_t>(now.seconds() - job.usage_at_s, 0);
}

// Processor percent and memory go up and down: only the hosts that are there count.
usage_set not_adding_up(std::span<const host_usage> hosts) {
  static const attributes::resource_catalogue builtin;
  usage_set out;
  const auto all = job_total(hosts, builtin);
  for (const char* resource : {"cpupercent", "mem", "vmem"})
    if (const auto value = all.get(resource)) out.set(resource, *value);
  return out;
}

std::vector<host_usage> hosts_in(const allocation& has, capnp::List<schema::HostUsage>::Reader told) {
  std::vector<host_usage> out;
  for (const auto h : told)
    if (has.is_on(schema::text(h.getHost()))) out.push_back(read_host_usage(h));
  return out;
}

event reduced_event(const job_state& job, const allocation_change& change, const stamp& now) {
  return make_event([&](auto e) {
    auto to = e.initJob().initReduced();
    write(change, to);
    to.setRun(job.run);
    to.setRequest(job.last_request + 1);
    to.setWalltime(walltime_until(job, now));
  });
}

event reduced_at_stage_out(const job_state& job, const planned_release& planned, const std::vector<host_usage>& used) {
  return make_event([&](auto e) {
    auto to = e.initJob().initReduced();
    write(planned.change, to);
    to.setRun(job.run);
    to.setStageOut(true);
    write_usage(not_adding_up(used), to.initOfLeft());
  });
}

// RD-55 to RD-57: the first vnode that is to go and can't.
std::optional<std::string> why_not(const allocation_change& change, const attributes::unreleasable_vnodes& unreleasable) {
  if (unreleasable.empty()) return std::nullopt;
  values::exec_vnode_reader reader(change.released);
  for (values::exec_vnode_reader::part p; reader.next(p);)
    if (const auto found = unreleasable.find(p.vnode); found != unreleasable.end()) return found->second;
  return std::nullopt;
}

// RD-63, RD-66
bool wants_less_at_stage_out(const job_state& job) {
  return job.attribute(ids::release_nodes_on_stageout) == "True" && job.attributes.has(ids::stageout);
}

void copy_all(job_state& job, attributes::attribute_id from, attributes::attribute_id to) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& e : job.attributes)
    if (e.id == from) values.emplace_back(e.resource, e.value);
  job.attributes.erase_all(to);
  for (const auto& [resource, value] : values) job.attributes.set(to, resource, value);
}

using copied = std::pair<attributes::attribute_id, attributes::attribute_id>;
constexpr copied originals[] = {{ids::exec_vnode, ids::exec_vnode_orig},
                                {ids::exec_host, ids::exec_host_orig},
                                {ids::schedselect, ids::schedselect_orig},
                                {ids::Resource_List, ids::Resource_List_orig}};
// Of the phase that ended last.
constexpr copied accounted[] = {{ids::exec_vnode, ids::exec_vnode_acct},
                                {ids::exec_host, ids::exec_host_acct},
                                {ids::Resource_List, ids::Resource_List_acct},
                                {ids::resources_used, ids::resources_used_acct}};

}  // namespace

bool job_state::comes_to_run() const {
  const bool unwanted = rerun_requested || delete_requested || aborted;
  return !unwanted && ((phase == job_phase::assigned && !provisioning()) || (phase == job_phase::started && !usage_known));
}

outcome decide_release_nodes(const job_state& job, const client_request& command, const stamp& now, const settings& settings) {
  if (auto why = cannot_tell(job, now.by)) return *why;
  // RD-48, RD-51: substate 42
  const bool unwanted = job.rerun_requested || job.delete_requested || job.aborted;
  if (job.phase != job_phase::started || !job.usage_known || unwanted) return refuse(pbs_error::bad_state);
  const auto planned = planned_for(job, command, settings);
  if (!planned) return planned.error();
  if (planned->change.released.empty()) return refuse(pbs_error::system_error, "");
  if (const auto why = why_not(planned->change, command.unreleasable)) return refuse(pbs_error::system_error, *why);
  return std::vector<event>{reduced_event(job, planned->change, now)};
}

void release_at_stage_out(const job_state& job, const mom_report& exited, const settings& settings, std::vector<event>& out) {
  if (!wants_less_at_stage_out(job) || job.uses().hosts().size() < 2) return;
  const auto planned = without(vnodes_of_others(job.uses()), release_of(job), settings.resources, asked_by);
  if (!planned || why_not(planned->change, exited.unreleasable)) return;
  const auto told = exited.message.get().getRunExited();
  std::vector<host_usage> of_left;
  for (auto& h : checked_hosts(told.getHosts(), settings.resources))
    if (planned->left.is_on(h.host)) of_left.push_back(std::move(h));
  out.push_back(reduced_at_stage_out(job, *planned, of_left));
  std::set<std::string_view> unsure;
  for (const auto host : told.getAbandoned()) unsure.insert(schema::text(host));
  for (const auto& host : job.allocated.hosts())
    if (host != job.hosts.front() && !unsure.contains(host)) out.push_back(released(job, {host}, schema::ReleaseReason::LEFT));
}

bool stages_out_alone(const job_state& job) {
  return job.phase == job_phase::exiting && job.reduced() && job.used.hosts().size() == 1 && wants_less_at_stage_out(job);
}

allocation_change change_asked(schema::JobReduced::Reader e) {
  auto change = read_reduction(e);
  change.by = asked_by;
  return change;
}

void begin_phase(job_state& job, const event_place& at, schema::JobReduced::Reader e) {
  if (e.getWalltime() > 0) {
    job.attributes.set(ids::resources_used, "walltime", values::print_duration(e.getWalltime()));
    job.usage_at_s = at.seconds();
  }
  job.used_in_phase = read_usage(e.getOfLeft());
  if (!job.has_phases())
    for (const auto& [from, to] : originals) copy_all(job, from, to);
  for (const auto& [from, to] : accounted) copy_all(job, from, to);
}

void note_in_phase(job_state& job, schema::Usage::Reader usage, capnp::List<schema::HostUsage>::Reader hosts) {
  if (!job.has_phases()) return;
  const auto here = hosts_in(job.uses(), hosts);
  const std::vector<host_usage> alone{{{}, read_usage(usage)}};
  job.used_in_phase = not_adding_up(hosts.size() > 0 ? here : alone);
}

void show_deallocated(job_state& job) {
  if (!job.has_phases() || !job.reduced()) return;
  auto rest = job.allocated;
  const auto used = rest.parts_in(job.used.exec_vnode(), job.used.exec_host());
  if (!used) return;  // the run is over, and hands back what it used
  const auto not_free = rest.keep(*used);
  if (not_free.empty()) job.attributes.erase(ids::exec_vnode_deallocated);
  else job.attributes.set(ids::exec_vnode_deallocated, not_free);
}

void alter_original(job_state& job, schema::Attribute::Reader change) {
  const auto resource = schema::text(change.getResource());
  if (change.getOp() == schema::AttributeOp::UNSET) job.attributes.erase(ids::Resource_List_orig, resource);
  else job.attributes.set(ids::Resource_List_orig, resource, schema::text(change.getValue()));
}

void forget_phases(job_state& job) {
  for (const auto& [from, to] : originals) job.attributes.erase_all(to);
  for (const auto& [from, to] : accounted) job.attributes.erase_all(to);
  job.used_in_phase = {};
  job.attributes.erase(ids::exec_vnode_deallocated);
}

}  // namespace annals::model
