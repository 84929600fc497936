// What the simulation's programs do through TM, and what their tasks write.
#pragma once

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>

#include <string_view>

#include "test/sim/world.hpp"

namespace annals::sim {

// Starts a task on each of a program's nodes and attaches a session to its own, waits for their ends, takes what every second one
// writes, and signals what it can. Told (job, cookie) when a program begins.
caf::behavior task_user(caf::event_based_actor* self, caf::actor mom, host_machine* machine);

// What came of the tasks' output, for the checkers.
void keep_lines(host_machine& machine, std::string_view bytes);

}  // namespace annals::sim
