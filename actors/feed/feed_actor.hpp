// The feed of the server's log: whoever has a follower's certificate gets the log from a position on, as it stands in the store, and then
// what is committed. It is woken by commits, sends no follower more than it has room for, and tells with each message how far the log goes.
// It blocks on the disk: in the server it has a thread of its own. Governed by docs/design/0069-the-feed.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <cstddef>
#include <functional>
#include <string>

#include "actors/feed/feed_limits.hpp"
#include "events/ports/record_log.hpp"

namespace annals::actors {

struct feed_parts {
  const ports::record_log* log = nullptr;                                                 // outlives the actor
  std::string identity;                                                                   // of the log, 16 bytes
  std::function<void(const std::string& text)> note = [](const std::string&) {};          // for the server's log
  std::function<void(const std::string& text)> stop_process = [](const std::string&) {};  // the actor has failed
  // Bounds, which tests make small.
  std::size_t followers_max = limits::followers_max;
  std::size_t message_bytes = limits::feed_message_bytes;
  std::size_t unacknowledged_bytes = limits::feed_unacknowledged_bytes;
};

// Takes peer_frame and peer_closed of followers (the gateway hands them on), and, as a follower of the log writer, committed and
// disk_state.
caf::behavior feed_actor(caf::event_based_actor* self, feed_parts parts);

}  // namespace annals::actors
