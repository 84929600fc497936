// Follows the log of a server on another host: keeps a copy of it, record by record as the server's feed gives them (actors/feed), and
// hands what is durable on to those who answer from it. After each break it goes on behind its last durable record. A record that is not
// the one that belongs there is neither written nor believed, and then it follows no more. It blocks on the disk: it has a thread of its
// own. Governed by docs/design/0069-the-feed.md.
#pragma once

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>

#include <functional>
#include <memory>
#include <string>

#include "actors/follow/follow_standing.hpp"
#include "actors/link/wire/wire.hpp"
#include "actors/runtime/commit_inbox.hpp"
#include "events/log/log_copy.hpp"

namespace annals::actors {

// An attempt to reach the server has failed.
struct feed_unreachable {
  std::string why;
};

struct follow_parts {
  std::shared_ptr<log::log_copy> copy;
  std::shared_ptr<follow_standing> standing;
  std::shared_ptr<commit_inbox> inbox;  // of `queries`
  caf::actor queries;                   // told that something lies there
  caf::actor door;                      // told of each commit
  std::string server;                   // its name
  // Dials until it is destroyed; `to` is told of what happens: peer_opened, peer_frame, peer_closed, feed_unreachable. Empty: another
  // dials.
  std::function<std::unique_ptr<wire::io_pool::dialer>(const caf::actor& to)> dial;
  std::function<void(bool is_error, const std::string& text)> note = [](bool, const std::string&) {};  // for the follower's log
  std::function<void(const std::string& text)> stop_process = [](const std::string&) {};               // the copy can't be written any more
};

caf::behavior follow_actor(caf::event_based_actor* self, follow_parts parts);

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::feed_unreachable)
