// Where a follower's copy ends, and whether the log goes on from there. Pure reads of the log.
#pragma once

#include <string>

#include "events/ports/record_log.hpp"
#include "events/schema/daemon/feed.capnp.h"

namespace annals::actors {

inline constexpr const char* feed_protocol = "annals feed 1";

// Empty: the records behind the copy's last one continue it. Otherwise why they don't, in words for administrators of both hosts.
// `identity`: of the log, 16 bytes.
std::string why_log_does_not_continue(const ports::record_log& log, const std::string& identity, schema::FollowerHello::Reader copy);

}  // namespace annals::actors
