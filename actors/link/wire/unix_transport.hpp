// A Unix socket under a connection.
#pragma once

#include <memory>

#include "actors/link/wire/socket_path.hpp"
#include "actors/link/wire/transport.hpp"
#include "actors/link/wire/worker.hpp"

namespace annals::wire {

std::unique_ptr<transport> unix_transport(worker& w, unique_fd connected, identity peer);

}  // namespace annals::wire
