// Answers queries from the status projection, at a position no older than the query's arrival; and, from the same
// projection, tells the schedulers what they need to know (scheduling_desk).
#pragma once

#include <caf/event_based_actor.hpp>

#include <memory>

#include "actors/server/messages.hpp"
#include "actors/runtime/messages.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

// `now` is what replay has folded; the actor goes on from there. `reader` serves questions about the past.
caf::behavior status_actor(caf::event_based_actor* self, std::shared_ptr<projections::status> now,
                           const log::log_reader* reader, const ports::clock* clock);

}  // namespace annals::actors
