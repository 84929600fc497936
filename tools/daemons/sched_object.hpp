// What the server says of a scheduler object before its scheduler has a connection of its own: where its directories are. Asked over
// the server's socket, so only on the server's host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace annals::daemons {

struct sched_object {
  bool exists = false;
  std::string priv, logs, partition;  // empty: not set
  std::uint16_t port = 0;             // 0: not set
};
// Nothing: no server answers here, or not within limits::scheduler_start_ms. Starts a thread, which may outlive the call.
std::optional<sched_object> ask_for_object(const std::string& server, const std::string& socket, const std::string& name);

}  // namespace annals::daemons
