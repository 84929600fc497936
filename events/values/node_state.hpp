// The state of a vnode: a set of bits with names. Source: pbs guide, "node state".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::values {

namespace node_state {
inline constexpr std::uint32_t free = 0, offline = 0x1, down = 0x2, unresolvable = 0x8, job_busy = 0x10, stale = 0x20,
                               job_exclusive = 0x40, busy = 0x80, unknown = 0x100, initializing = 0x400,
                               provisioning = 0x800, wait_provisioning = 0x1000, resv_exclusive = 0x2000,
                               offlined_by_mom = 0x4000, maintenance = 0x20000, sleep = 0x40000;
// What a manager or operator may set.
inline constexpr std::uint32_t settable = offline | down;
}  // namespace node_state

// "free" or the names of the bits, joined by commas, in PBS's order ("state-unknown,down").
std::string print_node_state(std::uint32_t bits);
// Any list of names, "free" included. Nothing: an unknown name.
std::optional<std::uint32_t> parse_node_state(std::string_view text);
// What `set node N state = ...` accepts: offline, down, free or a list of them.
std::optional<std::uint32_t> parse_settable_node_state(std::string_view text);

}  // namespace annals::values
