// What a MoM finds out about its host: cpus, memory, architecture of the natural vnode.
#pragma once

#include <string>

#include "events/schema/daemon/from_mom.capnp.h"

namespace annals::daemons {

void describe_host(const std::string& name, schema::MomHello::Builder hello);

}  // namespace annals::daemons
