#include "hooks-runtime/chain/release.hpp"

#include <algorithm>
#include <map>

#include "events/attributes/request_check.hpp"
#include "events/model/limits.hpp"
#include "events/schema/message.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/number.hpp"
#include "events/values/select.hpp"
#include "hooks-runtime/protocol/log_levels.hpp"

namespace annals::hooks {

namespace {

// Also as earlier PBS did it, of a job that asks for spare chunks as one did then (RS-103 to RS-105).
void tell_as_before(const model::not_reduced& why, const model::release_from& from, const line_taker& log) {
  const auto debug = [&](const std::string& line) { log(log_level::debug, line); };
  if (why.of_first)
    debug("could not satisfy 1st select chunk (" + why.chunk + ") with first available chunk (" + why.available + ")");
  else debug("could not satisfy the original select chunk (" + why.chunk + ") with first available chunk " + why.available);
  const auto hosts = values::parse_exec_host(from.has.exec_host()).value_or(values::exec_host_spec{});
  std::map<std::string, bool> vnodes;  // whether they failed
  values::exec_vnode_reader reader(from.has.exec_vnode());
  for (values::exec_vnode_reader::part p; reader.next(p);) {
    const bool host_failed = p.chunk < hosts.size() && std::ranges::count(from.failed.hosts, hosts[p.chunk].host) > 0;
    vnodes.emplace(p.vnode, host_failed || std::ranges::count(from.failed.vnodes, p.vnode) > 0);
  }
  for (const auto& [vnode, failed] : vnodes)
    if (failed) debug("job node_list_fail: node " + vnode);
  for (const auto& [vnode, failed] : vnodes) {
    if (failed) continue;
    debug("job node_list: node " + vnode);
    debug("job node_list:_good node " + vnode);
  }
}

std::optional<model::planned_release> reduced_to(std::string_view keep_select, const model::release_from& from, const std::string& by,
                                                 const line_taker& log) {
  if (keep_select.size() > limits::keep_select_bytes_max) return std::nullopt;
  const auto asked = values::parse_select(keep_select);
  if (!asked || !attributes::has_good_values(*asked, {})) return std::nullopt;
  auto planned = model::kept_by(*asked, from, model::first_host::answers_first, {}, by);
  if (planned) return std::move(*planned);
  for (const auto& line : planned.error().lines()) log(log_level::debug2, line);
  if (from.shown.resources.contains("select_requested")) tell_as_before(planned.error(), from, log);
  return std::nullopt;
}

}  // namespace

model::shown_request shown_by(const hook_object& job) {
  model::shown_request out;
  for (const auto& a : job.attributes) {
    if (a.name == "Resource_List") out.resources[a.resource] = a.value;
    if (a.name == "schedselect") out.schedselect = a.value;
  }
  return out;
}

std::optional<model::planned_release> plan_release(protocol::ReleaseNodes::Reader asked, const model::release_from& from,
                                                   const std::string& by, const line_taker& log) {
  if (asked.getKeepSelect().size() > 0) return reduced_to(schema::text(asked.getKeepSelect()), from, by, log);
  std::vector<std::string> vnodes;
  for (const auto vnode : asked.getVnodes()) vnodes.push_back(schema::str(vnode));
  return model::without(vnodes, from, {}, by);
}

namespace {

// exec_host2 is exec_host with ports: those that stay keep theirs.
void keep_ports(const std::string& exec_host, hook_object& job) {
  const auto* before = job.find("exec_host2");
  if (!before) return;
  const std::string known = "+" + before->value;
  const auto port_of = [&](const std::string& host) {
    const auto mark = "+" + host + ":";
    const auto at = known.find(mark);
    const auto port = at == std::string::npos ? std::string() : known.substr(at + mark.size());
    return static_cast<std::uint16_t>(values::parse_integer(port.substr(0, port.find_first_of("/+"))).value_or(0));
  };
  const auto now = with_ports(exec_host, port_of);
  if (now) job.put("exec_host2", {}, *now);
  else job.remove("exec_host2", {});
}

}  // namespace

void put(const model::allocation_change& change, hook_object& job) {
  job.put("exec_vnode", {}, change.exec_vnode);
  job.put("exec_host", {}, change.exec_host);
  keep_ports(change.exec_host, job);
  for (const auto& c : change.changes) {
    if (c.value) job.put(c.name, c.resource, *c.value);
    else job.remove(c.name, c.resource);
  }
}

}  // namespace annals::hooks
