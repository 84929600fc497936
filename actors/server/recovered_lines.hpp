// What the server's log says at a start that found queues, reservations and jobs in the event log, in PBS's words. Source: pbs guide, logs.
#pragma once

#include <string_view>

#include "actors/runtime/daemon_log.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

// Of finished jobs only their number: a history may have a million of them.
void note_recovered(daemon_log& notes, std::string_view server, const projections::status& of);

}  // namespace annals::actors
