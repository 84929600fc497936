#include "actors/gateway/hosts/reported_vnodes.hpp"

#include "events/model/host/vnode_limit.hpp"
#include "events/model/host/vnode_names.hpp"

namespace annals::actors {

std::string reported_vnodes::why_not_taken(schema::MomHello::Reader hello, const std::string& host) const {
  const auto* known = board_.where().host_named(host);
  return known ? model::vnodes_refusal(*known, hello, *board_.settings()).value_or("") : "";
}

schema::sealed<schema::FromMom> reported_vnodes::taken(schema::sealed<schema::FromMom> hello, const std::string& host) {
  auto checked = model::with_checked_values(hello, board_.settings()->resources);
  for (const auto& p : checked.problems) note_left_out(p, host);
  if (board_.parts().keep_sockets) board_.parts().keep_sockets(host, checked.sockets);
  return with_own(std::move(checked.message), host);
}

bool reported_vnodes::comes_too_early(schema::HookReport::Reader report, const std::string& host) const {
  for (auto v : report.getVnodes()) {
    const auto claim = claimed_.find(schema::str(v.getVnode()));
    if (claim != claimed_.end() && claim->second == host && !board_.where().host_of_vnode(claim->first)) return true;
  }
  return false;
}

// In the words of PBS.
void reported_vnodes::note_left_out(const model::left_out& what, const std::string& host) const {
  const auto server = "Server@" + board_.settings()->server_name;
  const auto error = "Error " + std::to_string(what.why.code) + " decoding ";
  const auto where = " in update for vnode " + what.vnode;
  switch (what.why.code) {
    case values::pbs_error::undefined_attribute:
      return board_.note(log_event::system, "Node", host, "unknown attribute " + what.attribute + where);
    case values::pbs_error::unknown_resource:
      board_.note(log_event::debug, "Resc", server, "Error creating resource");
      return board_.note(log_event::admin, "Node", host,
                         "error: resource " + what.resource + " for vnode " + what.vnode + " cannot be defined");
    case values::pbs_error::bad_node_value:
      board_.note(log_event::error, "Svr", server,
                  "Illegal value for node (15067) in set_attr_generic, decode of " + what.attribute + " failed");
      return board_.note(log_event::system, "Node", host, error + "attribute " + what.attribute + where);
    default:
      board_.note(log_event::system, "Node", host,
                  error + (what.resource.empty() ? "attribute " + what.attribute : "resource " + what.resource) + where);
  }
}

std::optional<std::string> reported_vnodes::why_not(const std::string& vnode, const std::string& host) {
  const auto& where = board_.where();
  const auto known = where.host_of_vnode(vnode);
  const auto is_host = [&](std::string_view name) { return where.hosts().contains(std::string(name)); };
  if (!known && !model::is_of_form(vnode, host, is_host))
    return "host " + host + " may not name a vnode so: allowed are " + host + "[...] and what a manager creates: qmgr -c 'create node " +
           vnode + " Mom=" + host + "'";
  const auto owner = known ? *known : claimed_.try_emplace(vnode, host).first->second;
  if (owner != host) return "is a vnode of host " + owner + "; what host " + host + " says of it is ignored";
  return std::nullopt;
}

// A vnode is of the host that named it first. What others say of it (their exechost_startup hooks may) is left out: the rules
// would refuse the whole hello, and the host would stay down.
schema::sealed<schema::FromMom> reported_vnodes::with_own(schema::sealed<schema::FromMom> hello, const std::string& host) {
  std::erase_if(claimed_, [&](const auto& c) { return c.second == host || !board_.where().hosts().contains(c.second); });
  const auto named = hello.get().getHello().getVnodes();
  std::vector<schema::ReportedVnode::Reader> own;
  for (auto v : named) {
    const auto vnode = schema::str(v.getName());
    if (const auto why = why_not(vnode, host)) board_.note(log_event::error, "Node", vnode, *why);
    else own.push_back(v);
  }
  if (own.size() == named.size()) return hello;
  return schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
    m.setHello(hello.get().getHello());
    auto list = m.getHello().initVnodes(static_cast<unsigned>(own.size()));
    for (unsigned i = 0; i < list.size(); ++i) list.setWithCaveats(i, own[i]);
  });
}

}  // namespace annals::actors
