// Types and numbers that listeners, their acceptor and dialers share.
#pragma once

#include <functional>
#include <memory>

#include "actors/link/wire/worker.hpp"

namespace annals::wire {

// Only root of a host may call from a port below the second; a dialer that may takes one from the first on.
constexpr int root_port_min = 512, root_ports_end = 1024;

// The worker that the next connection goes to: the one with the fewest, and of those rather the one that accepts. Any thread.
using next_worker = std::function<std::shared_ptr<worker>(const std::shared_ptr<worker>& accepts)>;

}  // namespace annals::wire
