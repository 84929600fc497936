// Commands of this host's users on their way to the server: each comes over a Unix socket, has a TLS connection to the server for itself
// as long as it is there, on which first is said whose it is, and then both sides' messages are handed on. Nobody reads on one side while
// the other has not taken what came. Who may pass and what is said first is the owner's part: the MoM's for commands of its jobs
// (docs/design/0038-commands-of-jobs.md), pbs_comm's for those of a login host (docs/design/0063-login-hosts.md).
#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/link/peer_messages.hpp"

namespace annals::actors {

// One connection to the server for a caller, until it is destroyed; what happens on it comes as server_opened, server_frame,
// server_taken, server_closed and server_failed.
class server_dialer {
 public:
  virtual ~server_dialer() = default;
  // Where it was open already: server_opened does not come. Null: it comes.
  virtual wire::connection_ptr is_open() const { return nullptr; }
};
// Throws wire_error: there is no way to dial.
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

class passages {
 public:
  // host: this one, as refusals name it. unsent_pause_bytes: nothing more is read for a peer for which more than this waits.
  passages(std::string host, std::size_t unsent_pause_bytes) : host_(std::move(host)), unsent_pause_bytes_(unsent_pause_bytes) {}

  const std::string& host() const { return host_; }
  void add(const wire::connection_ptr& peer) { callers_[peer->id()].peer = peer; }
  void remove(std::uint64_t caller) { callers_.erase(caller); }
  // Who waits for an answer of its owner, or for its server. False also of who is gone or was refused.
  bool may_be_dialed(std::uint64_t caller) const;

  // The server is dialed for the caller, and hears `first`, if there is one, before anything that the caller says.
  void dial(std::uint64_t caller, const dial_server& dial, schema::sealed_message first = {});
  // A message of a caller for the server, which may not be there yet. Dropped of who is gone or was refused.
  void hand_on(std::uint64_t caller, schema::sealed_message message);
  // The caller hears it as the last word of its connection. `code`: values::pbs_error.
  void refuse(std::uint64_t caller, std::uint32_t code, const std::string& text);

  void on_taken(const peer_taken& t);
  void on_opened(const server_opened& o);
  void on_frame(const server_frame& f);
  void on_taken(const server_taken& t);
  void on_closed(const server_closed& s);
  void on_failed(const server_failed& f);

 private:
  struct caller {
    wire::connection_ptr peer;
    bool refused = false;
    schema::sealed_message first;
    std::vector<schema::sealed_message> early;  // said before the server was there
    std::unique_ptr<server_dialer> dialer;
    wire::connection_ptr server;  // null: not there yet
  };
  void refuse(caller& c, std::uint32_t code, const std::string& text);
  static void connect(caller& c, wire::connection_ptr server);

  const std::string host_;
  const std::size_t unsent_pause_bytes_;
  std::map<std::uint64_t, caller> callers_;  // by connection
};

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::server_opened)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::server_frame)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::server_taken)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::server_closed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::server_failed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::peer_taken)
