// The server object, queues, scheduler objects and hooks: nothing beyond the event-sourced actor, they owe the world nothing.
#pragma once

#include "actors/server/aggregates.hpp"

namespace annals::actors {

using server_actor = event_sourced_actor<server_aggregate>;
using queue_actor = event_sourced_actor<queue_aggregate>;
using scheduler_object_actor = event_sourced_actor<scheduler_aggregate>;
using hook_actor = event_sourced_actor<hook_aggregate>;

// Compiled once, in object_actors.cpp: their templates are large.
extern template class event_sourced_actor<server_aggregate>;
extern template class event_sourced_actor<queue_aggregate>;
extern template class event_sourced_actor<scheduler_aggregate>;
extern template class event_sourced_actor<hook_aggregate>;

}  // namespace annals::actors
