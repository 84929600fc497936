#include "projections/status/queues_with_vnodes.hpp"

#include "events/attributes/ids.hpp"

namespace annals::projections {

void queues_with_vnodes::take_out(std::string_view vnode) {
  const auto at = queue_of_vnode_.find(vnode);
  if (at == queue_of_vnode_.end()) return;
  const auto of = vnodes_of_queue_.find(at->second);
  if (--of->second == 0) vnodes_of_queue_.erase(of);
  queue_of_vnode_.erase(at);
}

void queues_with_vnodes::put(const model::vnode_state& vnode) {
  take_out(vnode.name);
  const auto queue = vnode.attributes.get(attributes::node::queue);
  if (!queue) return;
  queue_of_vnode_.emplace(vnode.name, *queue);
  ++vnodes_of_queue_[std::string(*queue)];
}

void queues_with_vnodes::before(std::uint64_t host, schema::HostEvent::Reader event, const hosts& all) {
  if (event.isVnodeDeleted()) take_out(schema::text(event.getVnodeDeleted().getName()));
  const auto known = all.find(host);
  if (!event.isRemoved() || known == all.end()) return;
  for (const auto& v : known->second.vnodes) take_out(v.name);
}

void queues_with_vnodes::after(std::uint64_t host, schema::HostEvent::Reader event, const hosts& all) {
  const auto put_one = [&](std::string_view name) {
    if (const auto* v = all.at(host).vnode(name)) put(*v);
  };
  if (event.isVnodeCreated()) put_one(schema::text(event.getVnodeCreated().getName()));
  if (event.isVnodeChanged()) put_one(schema::text(event.getVnodeChanged().getVnode()));
  if (event.isCameUp())
    for (const auto& v : all.at(host).vnodes) put(v);
}

void queues_with_vnodes::make_anew(const hosts& all) {
  *this = {};
  for (const auto& [serial, host] : all)
    for (const auto& v : host.vnodes) put(v);
}

}  // namespace annals::projections
