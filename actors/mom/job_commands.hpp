// Commands of jobs on this host, on their way to the server. Each comes over a connection of its own to a Unix socket, where the kernel
// says who it is; for each the MoM opens a TLS connection of its own, says there of which run the command is, and then hands on
// what either side says. Nobody reads on one side while the other has not taken what came. docs/design/0038-commands-of-jobs.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actors/link/peer_messages.hpp"
#include "actors/link/wire/complaints.hpp"

namespace annals::actors {

// One connection to the server for a caller, until it is destroyed; what happens on it comes as server_opened, server_frame,
// server_taken, server_closed and server_failed.
class server_dialer {
 public:
  virtual ~server_dialer() = default;
};
using dial_server = std::function<std::unique_ptr<server_dialer>(std::uint64_t caller)>;

struct server_opened {
  std::uint64_t caller = 0;
  wire::connection_ptr server;
};
struct server_frame {
  std::uint64_t caller = 0;
  schema::sealed_message message;
};
struct server_taken {  // what waited for the server
  std::uint64_t caller = 0;
};
struct server_closed {
  std::uint64_t caller = 0;
  std::string why;
};
struct server_failed {
  std::uint64_t caller = 0;
  std::string why;
};
struct peer_taken {  // what waited for this caller
  std::uint64_t caller = 0;
};

// What a caller says first, within its bounds; nothing: it is no such word. Throws kj::Exception for a message that can't be read.
struct job_claim {
  std::string job, cookie;
};
std::optional<job_claim> read_claim(const schema::sealed_message& message);

struct job_commands_parts {
  caf::actor mom;
  std::string host;  // this one
  dial_server dial;
  std::size_t unsent_pause_bytes = 0;  // nothing more is read for a peer for which more than this waits
  // Who was refused here, for the log; null: nobody is told.
  std::shared_ptr<wire::complaints> complaints{};
  // The actor failed, and commands would wait for nothing. May be null: it ends alone.
  std::function<void(const std::string& text)> stop_process{};
};

// Messages: peer_opened, peer_frame, peer_closed and peer_taken of the callers' socket; the above of the server; job_found.
caf::behavior job_commands(caf::event_based_actor* self, job_commands_parts parts);

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::server_opened)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::server_frame)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::server_taken)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::server_closed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::server_failed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::peer_taken)
