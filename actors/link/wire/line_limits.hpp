// Connections between the pbs_comm of a login host and a server (docs/design/0063-login-hosts.md) that wait for the next command.
#pragma once

#include <cstddef>

#include "actors/link/wire/wire_limits.hpp"

namespace annals::limits {

// Whoever types the next command within this time finds one. Waiting costs a descriptor and 40 KB on each side, and a heartbeat.
constexpr int idle_line_s = 600;
// How often pbs_comm looks for those that have waited for so long.
constexpr int idle_look_s = 60;
static_assert(idle_look_s < idle_line_s);

// The server keeps half as many for all hosts as there may be commands on other hosts at a time.
constexpr std::size_t idle_lines_of_callers = 2;
static_assert(1.0 / ordinary_share + 1.0 / own_share + 1.0 / unproven_share +
                      (1.0 + 1.0 / idle_lines_of_callers) / remote_caller_share <
                  0.91,
              "some are left for files and daemons");

}  // namespace annals::limits
