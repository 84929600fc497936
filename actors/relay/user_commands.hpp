// Commands of the users of a login host, on their way to one server: what pbs_comm does. The kernel says who asks, and the host's
// certificate tells the server that it may be believed. A connection to the server serves many of them, one after another.
// docs/design/0063-login-hosts.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <functional>
#include <string>

#include "actors/relay/passages.hpp"

namespace annals::actors {

struct user_commands_parts {
  std::string host;                    // this one
  dial_server dial;                    // a line (server_lines.hpp)
  std::size_t unsent_pause_bytes = 0;  // nothing more is read for a peer for which more than this waits
  // The actor failed, and commands would wait for nothing. May be null: it ends alone.
  std::function<void(const std::string& text)> stop_process{};
};

// Messages: peer_opened, peer_frame, peer_closed and peer_taken of the users' socket; server_opened and so on of the server.
caf::behavior user_commands(caf::event_based_actor* self, user_commands_parts parts);

}  // namespace annals::actors
