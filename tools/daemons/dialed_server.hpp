// Connections to the server for commands of this host: one for each, with this host's certificate (actors/relay/passages.hpp).
#pragma once

#include <caf/actor.hpp>

#include <string>

#include "actors/link/wire/wire.hpp"
#include "actors/relay/passages.hpp"

namespace annals::daemons {

// `to` hears what happens on them. The pool outlives the actor that dials.
actors::dial_server dial_from(wire::io_pool& pool, std::string server, std::uint16_t port, wire::credentials identity, caf::actor to);

}  // namespace annals::daemons
