// How many vnodes a host may have: what its MoM says at once is taken whole, or nothing of it is. Pure.
#pragma once

#include <optional>
#include <string>

#include "events/model/host/host_state.hpp"
#include "events/model/settings.hpp"
#include "events/schema/daemon/from_mom.capnp.h"

namespace annals::model {

// The server's max_vnodes_per_host.
std::int64_t vnodes_of_host_max(const settings& settings);

// Why nothing of what this hello says of vnodes is taken; nothing: it is taken. A host with more than it may have, because the limit came
// later, keeps them.
std::optional<std::string> vnodes_refusal(const host_state& host, schema::MomHello::Reader hello, const settings& settings);

}  // namespace annals::model
