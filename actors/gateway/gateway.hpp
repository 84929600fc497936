// The way in: frames from clients, MoMs and schedulers become commands to the aggregate's actor or queries to the status
// actor. The gateway knows who asks (from the kernel or a certificate), derives the role, and finds or makes the actor.
#pragma once

#include <caf/event_based_actor.hpp>

#include "actors/gateway/gateway_parts.hpp"

namespace annals::actors {

caf::behavior gateway(caf::event_based_actor* self, gateway_parts parts);

}  // namespace annals::actors
