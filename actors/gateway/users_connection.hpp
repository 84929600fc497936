// The connection of a daemon on another host that speaks for a user there: the same connection, with the user's name. From then on it is
// that of a client.
#pragma once

#include <memory>
#include <string>

#include "actors/link/wire/room.hpp"
#include "actors/link/wire/wire.hpp"

namespace annals::actors {

// Of all commands on other hosts: by user, wherever he is.
using remote_places = std::shared_ptr<wire::room<std::string>>;

// `of` shows the daemon: its certificate names the host.
wire::connection_ptr as_user(const wire::connection_ptr& of, const std::string& user, const std::string& group);

}  // namespace annals::actors
