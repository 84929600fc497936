// Reads the scripts that travel in the orders of runs. The disk may take its time: the actor that does it has a thread of its own, and
// no job waits for those of MoMs that are large (actors/gateway/hosts/blobs_to_moms.hpp). Governed by docs/design/0002-event-log.md,
// "Blobs".
#pragma once

#include <caf/event_based_actor.hpp>

#include "actors/server/messages.hpp"
#include "events/log/log_reader.hpp"

namespace annals::actors {

// Messages: script_wanted, answered with script_read.
caf::behavior script_reader(caf::event_based_actor* self, const log::log_reader* reader);

}  // namespace annals::actors
