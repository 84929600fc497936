// The server object, queues and scheduler objects: nothing beyond the shell, they owe the world nothing.
#pragma once

#include "actors/server/aggregates.hpp"

namespace annals::actors {

using server_actor = shell<server_aggregate>;
using queue_actor = shell<queue_aggregate>;
using scheduler_object_actor = shell<scheduler_aggregate>;

}  // namespace annals::actors
