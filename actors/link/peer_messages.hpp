// What a daemon's actors hear from its sockets.
#pragma once

#include <kj/exception.h>
#include <caf/allowed_unsafe_message_type.hpp>

#include <memory>
#include <string>

#include "actors/link/wire/wire.hpp"

namespace annals::actors {

struct peer_opened {
  wire::connection_ptr peer;
};
struct peer_frame {
  wire::connection_ptr peer;
  schema::sealed_message message;
  std::shared_ptr<void> in_hand = {};  // kept by whoever still has to answer it (wire/requests_in_hand.hpp); null: nobody counts
};
struct peer_closed {
  wire::connection_ptr peer;
  std::string why;
};

// Does the work of a peer's message; one that turns out not to be readable ends its connection, never the daemon.
template <class Work>
void for_peer(const wire::connection_ptr& peer, Work&& work) {
  try {
    work();
  } catch (const kj::Exception& e) {
    peer->close(std::string("a message that can't be read: ") + e.getDescription().cStr());
  }
}

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::peer_opened)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::peer_frame)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::peer_closed)
