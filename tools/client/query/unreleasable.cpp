#include "tools/client/query/unreleasable.hpp"

#include <algorithm>
#include <set>

#include "events/attributes/ids.hpp"
#include "events/attributes/unreleasable.hpp"
#include "events/values/exec_vnode.hpp"
#include "tools/client/client_limits.hpp"
#include "tools/client/print/nodes.hpp"
#include "tools/client/query/stat.hpp"

namespace annals::client {

namespace {

using attributes::attribute_id;
using names_set = std::set<std::string, std::less<>>;
namespace node = attributes::node;

std::optional<std::string> why_not(const object_view& vnode) {
  using attributes::unreleasable;
  const auto of = [&](std::string_view resource) { return value_of(vnode, node::resources_available, resource); };
  switch (attributes::why_unreleasable(of("vntype"), of("arch"))) {
    case unreleasable::no: return std::nullopt;
    case unreleasable::cray: return "not currently supported on Cray X* series nodes: " + std::string(vnode.name);
    case unreleasable::cpuset:
      return "not currently supported on nodes whose resources are part of a cpuset: " + std::string(vnode.name);
  }
  return std::nullopt;
}

// Vnodes with one of these names, or on a host with one. What the server does not know is left to it to refuse.
std::vector<kept_object> vnodes_called(session& server, const std::vector<std::string>& names) {
  static constexpr attribute_id wanted[] = {node::Mom, node::resources_available};
  stat_question q;
  q.kind = schema::ObjectKind::HOST;
  if (names.size() <= limits::vnodes_asked_by_name_max) q.names = names;
  q.wanted = wanted;
  std::vector<kept_object> found;
  ask_all(server, q, found);
  return found;
}

// As exec_vnode has them; none when the job has none or may not be seen.
std::vector<std::string> vnodes_of(session& server, const std::string& job_id) {
  static constexpr attribute_id wanted[] = {attributes::job::exec_vnode};
  stat_question q;
  q.names = {job_id};
  q.wanted = wanted;
  std::vector<std::string> vnodes;
  ask(server, q, [&](const object_view& job) {
    values::exec_vnode_reader parts(value_of(job, attributes::job::exec_vnode));
    for (values::exec_vnode_reader::part p; parts.next(p);) vnodes.emplace_back(p.vnode);
  });
  return vnodes;
}

// A name is a vnode's if there is one that has it, else a host's.
std::optional<std::string> why_not_named(session& server, const std::vector<std::string>& names) {
  const auto vnodes = vnodes_called(server, names);
  names_set hosts(names.begin(), names.end());
  const names_set named = hosts;
  for (const auto& v : vnodes) hosts.erase(v.name);
  for (const auto& v : vnodes) {
    if (!named.contains(v.name) && !hosts.contains(host_of(v.view()))) continue;
    if (auto why = why_not(v.view())) return why;
  }
  return std::nullopt;
}

std::optional<std::string> why_not_sisters(session& server, const std::string& job_id) {
  const auto own = vnodes_of(server, job_id);
  if (own.size() < 2) return std::nullopt;
  const auto vnodes = vnodes_called(server, own);
  const names_set held(own.begin(), own.end());
  const auto first = std::find_if(vnodes.begin(), vnodes.end(), [&](const auto& v) { return v.name == own.front(); });
  if (first == vnodes.end()) return std::nullopt;
  for (const auto& v : vnodes) {
    if (!held.contains(v.name) || host_of(v.view()) == host_of(first->view())) continue;
    if (auto why = why_not(v.view())) return why;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_unreleasable(session& server, const std::string& job_id, const std::vector<std::string>& names) {
  return names.empty() ? why_not_sisters(server, job_id) : why_not_named(server, names);
}

}  // namespace annals::client
