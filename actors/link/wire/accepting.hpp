// Listening sockets and dialers: where links come from.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "actors/link/wire/link.hpp"
#include "actors/link/wire/room.hpp"
#include "actors/link/wire/tls.hpp"

namespace annals::wire {

// Only root of a host may call from a port below the second; a dialer that may takes one from the first on.
constexpr int root_port_min = 512, root_ports_end = 1024;

// The worker that the next connection goes to: the one with the fewest, and of those rather the one that accepts. Any thread.
using next_worker = std::function<std::shared_ptr<worker>(const std::shared_ptr<worker>& accepts)>;

std::unique_ptr<listener> make_unix_listener(std::shared_ptr<worker> w, next_worker next, const rooms& r, const std::string& path,
                                             unsigned mode, handler h);
std::unique_ptr<listener> make_tls_listener(std::shared_ptr<worker> w, next_worker next, const rooms& r, const std::string& address,
                                            std::uint16_t port, std::shared_ptr<tls_context> context, handler h);

struct dial_target {
  std::string host;
  std::uint16_t port;
  identity::kind kind;
  std::string name;  // empty: any of this kind
};
std::unique_ptr<io_pool::dialer> make_tls_dialer(std::shared_ptr<worker> w, dial_target target, std::shared_ptr<tls_context> context,
                                                 handler h);

}  // namespace annals::wire
