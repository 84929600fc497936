// The server object, queues, scheduler objects and hooks: nothing beyond the shell, they owe the world nothing.
#pragma once

#include "actors/server/aggregates.hpp"

namespace annals::actors {

using server_actor = shell<server_aggregate>;
using queue_actor = shell<queue_aggregate>;
using scheduler_object_actor = shell<scheduler_aggregate>;
using hook_actor = shell<hook_aggregate>;

}  // namespace annals::actors
