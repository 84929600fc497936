#include "actors/mom/hooks/hooked_vnodes.hpp"

#include "actors/mom/hooks/hook_objects.hpp"
#include "events/model/host/sockets.hpp"

namespace annals::actors {

std::vector<hooks::hook_object> hooked_vnodes::own() const {
  const auto hello = schema::make<schema::MomHello>([&](schema::MomHello::Builder h) { parts_.describe(h); });
  std::vector<hooks::hook_object> vnodes;
  for (auto v : hello.get().getVnodes()) {
    vnodes.push_back({hooks::protocol::ObjectKind::VNODE, schema::str(v.getName()), hooks::attributes_of(v.getAttributes())});
    vnodes.back().remove(model::sockets_report, {});  // no attribute
  }
  return vnodes;
}

std::vector<hooks::hook_object> hooked_vnodes::all() const {
  auto vnodes = own();
  for (const auto& [name, vnode] : made_) vnodes.push_back(vnode);
  for (auto& v : vnodes) v.put("pbs_version", {}, parts_.version);
  return vnodes;
}

void hooked_vnodes::describe(schema::MomHello::Builder hello) const {
  if (made_.empty()) return parts_.describe(hello);
  const auto hello_of_own = schema::make<schema::MomHello>([&](schema::MomHello::Builder h) { parts_.describe(h); });
  const auto from = hello_of_own.get().getVnodes();
  auto vnodes = hello.initVnodes(static_cast<unsigned>(from.size() + made_.size()));
  for (unsigned i = 0; i < from.size(); ++i) vnodes.setWithCaveats(i, from[i]);
  auto by_hooks = hello.initMadeByHooks(static_cast<unsigned>(made_.size()));
  unsigned at = from.size();
  for (const auto& [name, vnode] : made_) {
    by_hooks.set(at - from.size(), name);
    vnodes[at].setName(name);
    auto list = vnodes[at++].initAttributes(static_cast<unsigned>(vnode.attributes.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setName(vnode.attributes[i].name);
      list[i].setResource(vnode.attributes[i].resource);
      list[i].setValue(vnode.attributes[i].value);
    }
  }
}

void hooked_vnodes::take_made(const hooks::chain_result& result) {
  made_.clear();
  std::set<std::string> own_names;
  for (const auto& v : own()) own_names.insert(v.name);
  for (const auto& p : result.parameters)
    if (p.name == "vnode_list")
      for (const auto& v : std::get<std::vector<hooks::hook_object>>(p.value))
        if (!own_names.contains(v.name)) (made_[v.name] = v).remove("state", {});  // the server says that
}

std::set<std::string> hooked_vnodes::names_made() const {
  std::set<std::string> names;
  for (const auto& [name, vnode] : made_) names.insert(name);
  return names;
}

}  // namespace annals::actors
