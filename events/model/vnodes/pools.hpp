// Pools: a vnode's resources_available.R=@vnode is what another vnode has, shared with whoever else says so (pbs guide: indirect
// resources).
#pragma once

#include <optional>

#include "events/model/outcome.hpp"
#include "events/model/vnodes/holdings.hpp"
#include "events/schema/event.capnp.h"

namespace annals::model {

// Why a pool that is set with this change can't be: there is no such vnode, it has nothing of the resource, or shares that of a third one.
std::optional<rejection> wrong_pool(schema::VnodeChanged::Reader change, const holdings& there);
// Why something can't be unset with this change: other vnodes share it.
std::optional<rejection> needed_pool(schema::VnodeChanged::Reader change, const holdings& there);

}  // namespace annals::model
