#include "events/model/vnodes/pools.hpp"

#include "events/attributes/ids.hpp"
#include "events/model/refuse.hpp"

namespace annals::model {

namespace {

namespace pbs_error = values::pbs_error;

rejection refuse_pool(std::uint32_t code, std::string_view resource) {
  return refuse(code, std::string(values::pbs_error_text(code)) + ": " + std::string(resource));
}

}  // namespace

std::optional<rejection> wrong_pool(schema::VnodeChanged::Reader change, const holdings& there) {
  for (auto c : change.getChanges()) {
    const auto value = schema::text(c.getValue()), resource = schema::text(c.getResource());
    if (c.getName() != "resources_available" || !value.starts_with('@')) continue;
    const auto pool = value.substr(1);
    const auto* host = there.host_of(pool);
    if (!host) return refuse(pbs_error::unknown_node);
    const auto vnode = schema::text(change.getVnode());
    if (pool == vnode || there.is_pool(vnode, resource)) return refuse_pool(pbs_error::indirect_hop, resource);
    const auto has = host->vnode(std::string(pool))->attributes.get(attributes::node::resources_available, resource);
    if (!has) return refuse_pool(pbs_error::indirect_target_undefined, resource);
    if (has->starts_with('@')) return refuse_pool(pbs_error::indirect_hop, resource);
  }
  return std::nullopt;
}

std::optional<rejection> needed_pool(schema::VnodeChanged::Reader change, const holdings& there) {
  for (auto c : change.getChanges())
    if (c.getName() == "resources_available" && c.getOp() == schema::AttributeOp::UNSET &&
        there.is_pool(schema::text(change.getVnode()), schema::text(c.getResource())))
      return refuse(pbs_error::object_busy);
  return std::nullopt;
}

}  // namespace annals::model
