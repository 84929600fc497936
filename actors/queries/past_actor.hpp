// Answers questions about the past: stat with a sequence or a time, and which jobs made a fairshare usage. Has a thread of its own
// in the server, because an answer may read much of the log (projections/status/at.cpp) and no live question is to wait for it.
#pragma once

#include <caf/event_based_actor.hpp>

#include "actors/server/messages.hpp"
#include "events/log/log_reader.hpp"
#include "events/ports/clock.hpp"
#include "events/ports/event_store.hpp"

namespace annals::actors {

// Takes `query` messages whose request is a stat or a fairshare's why, and whose position is already durable.
caf::behavior past_actor(caf::event_based_actor* self, const log::log_reader* reader, ports::storage store, const ports::clock* clock);

}  // namespace annals::actors
