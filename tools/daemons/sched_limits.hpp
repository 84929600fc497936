// Limits of a scheduler's process. Each has its reason.
#pragma once

#include <cstdint>

namespace annals::limits {

// How long a scheduler that is started waits for what the server says of it, before it goes on without (and goes to the background).
// A server that replays its log answers later than that, and is tried again and again.
constexpr int scheduler_start_ms = 10000;
// The first port of those that schedulers listen at (MS-07).
constexpr std::uint16_t scheduler_ports_from = 15050;

// How long the server waits for a host to take its call at a scheduler's port: one that is up takes it within a round trip.
constexpr int scheduler_call_ms = 1000;
// Of calls that come faster than this one counts: anybody may call.
constexpr int scheduler_called_again_ms = 1000;

}  // namespace annals::limits
