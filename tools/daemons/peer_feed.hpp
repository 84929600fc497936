// Carries what happens on sockets to an actor, as messages.
#pragma once

#include <caf/actor.hpp>
#include <caf/send.hpp>

#include <utility>

#include "actors/link/peer_messages.hpp"
#include "actors/link/wire/wire.hpp"
#include "actors/runtime/next_first.hpp"

namespace annals::daemons {

inline wire::handler feed(caf::actor to) {
  wire::handler h;
  h.opened = [to](const wire::connection_ptr& c) { caf::anon_send(to, actors::peer_opened{c}); };
  h.received = [to](const wire::connection_ptr& c, schema::sealed_message m) {
    caf::anon_send(to, actors::peer_frame{c, std::move(m)});
  };
  h.closed = [to](const wire::connection_ptr& c, const std::string& why) { caf::anon_send(to, actors::peer_closed{c, why}); };
  return h;
}

// To an actor that answers requests: who has too many of them with it is not read on.
inline wire::handler feed_with_bounds(caf::actor to) {
  auto h = feed(to);
  h.received = [to](const wire::connection_ptr& c, schema::sealed_message m) {
    auto in_hand = c->take_in_hand(m.bytes().size());
    caf::anon_send(to, actors::peer_frame{c, std::move(m), std::move(in_hand)});
  };
  return h;
}

// The thread that reads a lone frame does itself what it leads to, as far as it is little (docs/design/0027).
inline void handle_lone_frames_here(caf::actor_system& system, wire::handler& h) {
  h.received_alone = [&system, tell = h.received](const wire::connection_ptr& from, schema::sealed_message m) {
    actors::next_first::here(system, [&] { tell(from, std::move(m)); });
  };
}

}  // namespace annals::daemons
