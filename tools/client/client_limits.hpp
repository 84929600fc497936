// Limits of what one command asks for, each with its reason; those that the server knows too are in events/model/limits.hpp.
#pragma once

#include <cstddef>

#include "events/model/host/host_limits.hpp"
#include "events/model/limits.hpp"

namespace annals::limits {

// In a request a name takes a pointer of 8 bytes, and its text ends at a word.
static_assert(released_names_max * (vnode_name_chars_max + 16) < event_bytes_max, "the longest list is one request");

}  // namespace annals::limits
