// Carries what happens on sockets to an actor, as messages.
#pragma once

#include <caf/actor.hpp>
#include <caf/send.hpp>

#include "actors/link/peer_messages.hpp"
#include "actors/link/wire/wire.hpp"

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

}  // namespace annals::daemons
