// The bounds of the feed of a log, each with its reason. docs/design/0069-the-feed.md says what happens when one is met.
#pragma once

#include <cstddef>

#include "events/model/limits.hpp"

namespace annals::limits {

// Followers at a time. While the server is busy each costs it a message every patience_ms; hosts that answer for whole sites are few.
constexpr std::size_t followers_max = 16;
// A message has records of so many bytes, or a single larger one: big enough that a follower which catches up costs few messages, and small
// enough that others get their turn in less than a millisecond.
constexpr std::size_t feed_message_bytes = 256u << 10;
// So much is on its way to a follower that has not said that it is on its disk. More would not make it quicker, since it syncs what has
// come meanwhile at once; with the most followers it is 64 MB of the server's memory.
constexpr std::size_t feed_unacknowledged_bytes = 4u << 20;
static_assert(feed_message_bytes <= feed_unacknowledged_bytes);
// A follower says what is on its disk when it has written a quarter of that since its last word, so that the server always has room to send
// on, or when its last word was so long ago. It does not say it more often: each word costs the server as much as a message of records.
constexpr std::size_t feed_acknowledged_bytes = feed_unacknowledged_bytes / 4;
constexpr unsigned feed_acknowledged_ms = 500;
static_assert(event_bytes_max <= feed_unacknowledged_bytes, "what one record is can be on its way");

}  // namespace annals::limits
