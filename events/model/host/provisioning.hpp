// A vnode on its way to another environment: the rules, and how its steps stand in VnodeChanged. Governed by
// docs/design/0052-provisioning.md. Only events/model/host and who folds those steps include this.
#pragma once

#include <optional>
#include <vector>

#include "events/model/context.hpp"
#include "events/model/host/host_state.hpp"
#include "events/model/outcome.hpp"
#include "events/model/settings.hpp"
#include "events/schema/client.capnp.h"

namespace annals::model {

outcome decide_provision(const host_state& host, const provision_vnode& command);

// What an administrator wants set of a vnode is refused: it is being provisioned, or it is the server's own host.
std::optional<rejection> provisioning_refusal(const host_state& host, const vnode_state& vnode, schema::Manage::Reader m,
                                              const settings& settings);
// Whether what it has after these changes is one of its environments.
bool has_its_aoe(const vnode_state& vnode, const std::vector<event>& changes);

// Not the name of an attribute: the step stands in VnodeChanged as "provisioning", with the environment as the resource.
std::optional<provisioning> provisioning_told(schema::Attribute::Reader change);

}  // namespace annals::model
