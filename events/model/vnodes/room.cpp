// Whether there is room for what a job wants to take.
#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/model/refuse.hpp"
#include "events/model/vnodes/holdings.hpp"
#include "events/values/string_list.hpp"

namespace annals::model {

namespace pbs_error = values::pbs_error;

namespace {

rejection unknown(std::string_view vnode) {
  return refuse(pbs_error::unknown_node, std::string(values::pbs_error_text(pbs_error::unknown_node)) + " " + std::string(vnode));
}

rejection elsewhere(std::string_view vnode, const std::string& its) {
  return refuse(pbs_error::resource_unavailable, "Node " + std::string(vnode) + " is in " +
                                                     (its.empty() ? "no partition" : "partition " + its) + ", and the job's queue is not");
}

}  // namespace

std::optional<double> holdings::available(const vnode_entry& v, std::string_view resource) const {
  if (const auto* counted = v.available.find(resource); counted != v.available.end()) return counted->second.value;
  const auto text = hosts_.at(v.host).vnode(v.name)->attributes.get(attributes::node::resources_available, resource);
  if (text) return std::nullopt;  // an indirect pool or a text: nothing to count here
  return 0;
}

std::optional<double> holdings::available_of(std::string_view vnode, std::string_view resource) const {
  const auto* v = entry(vnode);
  return v && v->host != 0 ? available(*v, resource) : std::nullopt;
}

std::optional<rejection> holdings::too_little(const vnode_entry& v, const amounts& asked) const {
  for (const auto& [resource, a] : asked) {
    if (a.value <= 0 || only_compared_.contains(resource)) continue;
    const auto have = available(v, resource);
    if (have && v.use.assigned.value_of(resource) + a.value > *have)
      return refuse(pbs_error::resource_unavailable, "Insufficient amount of resource: " + resource + " ");
  }
  return std::nullopt;
}

std::optional<rejection> holdings::unusable(const vnode_entry& v, const wanted& w, bool exclusive) const {
  if (!v.able) {
    const auto& host = hosts_.at(v.host);
    return refuse(pbs_error::resource_unavailable, "Node is in an ineligible state: " + base_state(host, *host.vnode(v.name)));
  }
  // Whom an administrator suspended goes on there, whoever else was.
  const auto& maintenance = v.use.maintenance;
  if (!maintenance.empty() && std::find(maintenance.begin(), maintenance.end(), w.id) == maintenance.end())
    return refuse(pbs_error::resource_unavailable, "Node is in an ineligible state: maintenance");
  if (!w.amounts_only && !v.use.jobs.empty() && (exclusive || v.exclusive_jobs > 0))
    return refuse(pbs_error::resource_unavailable, "Not enough free nodes available");
  return std::nullopt;
}

// It gets another environment first: a job on it would lose its own.
std::optional<rejection> holdings::not_provisionable(const vnode_entry& v, std::string_view aoe) const {
  const auto& host = hosts_.at(v.host);
  const auto& a = host.vnode(v.name)->attributes;
  const auto cannot = [](const std::string& why) { return refuse(pbs_error::resource_unavailable, "Cannot provision, " + why); };
  if (a.get(attributes::node::provision_enable) != "True") return cannot("provisioning disabled on vnode");
  const auto offered = values::split_list(a.get(attributes::node::resources_available, "aoe").value_or(""));
  if (std::find(offered.begin(), offered.end(), aoe) == offered.end())
    return cannot("requested AOE " + std::string(aoe) + " not available on vnode");
  if (host.vnodes.size() > 1) return cannot("host has multiple vnodes");
  if (!v.use.jobs.empty()) return refuse(pbs_error::resource_unavailable, "Provision conflict with existing job/reservation");
  return std::nullopt;
}

std::optional<rejection> holdings::why_not(const wanted& w) const {
  std::string_view never_heard_of;
  const auto parts = locate(w.exec_vnode, &never_heard_of);
  if (!never_heard_of.empty()) return unknown(never_heard_of);
  if (parts.empty() && !w.amounts_only) return refuse(pbs_error::unknown_node, "no vnode in exec_vnode");
  const auto place = read_place_sharing(w.place);
  amounts_reader read;
  for (std::size_t i = 0; i < parts.size();) {
    expect(parts, i);
    const auto& v = vnodes_[parts[i].at];
    if (v.host == 0) return unknown(v.name);
    if (v.partition != w.partition) return elsewhere(v.name, partitions_[v.partition]);
    if (auto why = unusable(v, w, hold_of(place, v.sharing) == hold_kind::exclusive)) return why;
    if (const auto aoe = aoe_of_part(parts[i].resources); !aoe.empty())
      if (auto why = not_provisionable(v, aoe)) return why;
    auto asked = read(parts[i].resources);
    for (++i; i < parts.size() && parts[i].at == parts[i - 1].at; ++i) asked.add(read(parts[i].resources), +1);
    if (auto why = too_little(v, asked)) return why;
  }
  return std::nullopt;
}

}  // namespace annals::model
