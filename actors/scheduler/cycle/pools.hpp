// resources_available of server and queue: what all their running jobs together may use.
#pragma once

#include "actors/scheduler/cycle/placement.hpp"
#include "actors/scheduler/cycle/refusal.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

// Whether the job may use what it asks for of the pools of the server and of its queue; `why`: if not. `others`: to be left alone.
bool pools_suffice(const view& v, const placement& checked, const job& j, refusal& why, const reserved_space* others = nullptr);
// queue: none for the server.
bool has_pool(const view& v, index queue, resource_id r);

}  // namespace annals::cycle
