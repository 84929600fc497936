// TLS over TCP under a connection.
#pragma once

#include <memory>

#include "actors/link/wire/socket_path.hpp"
#include "actors/link/wire/tls.hpp"
#include "actors/link/wire/transport.hpp"
#include "actors/link/wire/worker.hpp"

namespace annals::wire {

enum class tls_side { accepts,
                      dials };
std::unique_ptr<transport> tls_transport(worker& w, unique_fd connected, std::shared_ptr<tls_context> context, tls_side side);

}  // namespace annals::wire
