// One command's connection to the server: requests out, replies in (events/schema/client.capnp).
//
// A request that changes state carries 16 random bytes. When the connection breaks before the answer came, the session
// connects again and sends the same bytes, so that the server can tell a repeat from a second request: a command
// survives a restart of the server, and nothing is done twice. Any number of requests may be in flight. One thread.
//
// A server that has no room for one more connection of this user says so (a reply with id 0); the session tries again for a
// moment, since most commands are short, and then throws what the server said.
//
// With a session_error everything that was in flight is given up, and is never sent again; the next request connects anew.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "actors/link/wire/wire.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/message.hpp"
#include "tools/client/own_job.hpp"

namespace annals::client {

// Where the server is. PBS_DEFAULT or PBS_SERVER of the environment, else pbs.conf, name it; one server is reachable
// from here, the one whose socket is in our PBS_HOME, and on a login host those to which its pbs_comm hands on
// (docs/design/0063-login-hosts.md). Where its server is not, a process of a job reaches the job's server through the MoM of its host
// (docs/design/0038-commands-of-jobs.md).
struct server_address {
  std::string name;                  // as errors show it: "q1"
  std::string socket;                // path of the gateway's Unix socket
  std::optional<own_job> through{};  // the job whose MoM is asked instead
  bool by_comm = false;              // the socket is pbs_comm's, which hands on to a server on another host
  bool by_follower = false;          // it is that of pbs_follow, which answers from a copy of the log
};
server_address default_server();
inline std::string server_name() { return default_server().name; }
inline std::string server_socket() { return default_server().socket; }
// The part of the server's name that stands in job ids: up to the first dot, without a port.
std::string short_server_name(std::string_view name);
// This host's name up to the first dot, as it stands in Submit_Host and in output paths.
std::string this_host();

// To the server, or to the MoM of a job's host, which is told first which job asks. Throws wire_error.
wire::blocking_client connect_to(const server_address& address);

// The server can't be reached, or was lost and did not come back in time. `what()` is PBS's first line, for example
// "Connection refused" or "Unknown Host.".
struct session_error : std::runtime_error {
  session_error(std::uint32_t pbs_code, const std::string& line, std::string server_name = {})
      : std::runtime_error(line), code(pbs_code), server(std::move(server_name)) {}
  std::uint32_t code;     // 15008 or 15010; 15033: the server was reached, and had no room for us
  std::string server;     // as the error names it
  std::string asked_for;  // what stood behind '@', if anything did
};
// A request that no server would take.
struct request_too_large : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Prints "<first line>" and "<cmd>: cannot connect to server <name> (errno=15010)"; answers the exit status (162, 160, 185).
int print_session_error(std::string_view command, const session_error& error);

using reply = schema::sealed<schema::Reply>;
using request_fill = std::function<void(schema::Request::Builder)>;

class session {
 public:
  // How long a session that was connected tries to reach a server that went away, and asks again one that breaks every connection.
  static constexpr std::chrono::seconds patience{30};

  // How long one that never had an answer tries to get in where too many are.
  static constexpr std::chrono::milliseconds crowd_patience{4000};

  // Connects at once or throws session_error. `server` is what stood behind '@' in an id or destination; empty:
  // default. Through a MoM or pbs_comm the server is asked for a word, too: these may be there without it.
  static session open(std::string_view server = {}, std::chrono::milliseconds patience = session::patience);
  static session open_at(server_address address, std::chrono::milliseconds patience = session::patience);
  // Connects with the first request, which the server then finds when it looks who came.
  static session with_first_request(std::string_view server = {}, std::chrono::milliseconds patience = session::patience);
  // The same two for commands that only read: where PBS_READ_FROM says so they ask the follower of this host.
  static session open_to_read(std::string_view server = {}, std::chrono::milliseconds patience = session::patience);
  static session to_read_with_first_request(std::string_view server = {}, std::chrono::milliseconds patience = session::patience);

  session(session&&) = default;
  const server_address& address() const { return address_; }
  // From now on a server that went away is looked for so long.
  void be_patient(std::chrono::milliseconds patience) { patience_ = patience; }

  // All these throw session_error when the server is lost, and request_too_large.
  // One request, one reply. `fill` sets one member of the union; id, command id and time are the session's.
  reply call(const request_fill& fill);
  // The same for a command that may be asked for again: the server takes requests with the same name for one.
  struct command_name {
    std::array<std::uint8_t, 16> id;
    std::int64_t asked_at_ns;
  };
  static command_name new_command();
  reply call(const command_name& command, const request_fill& fill);

  // A query whose answer comes in pieces (stat, selectJobs): `piece` sees each reply until the last. A rejection is a last piece.
  void query(const request_fill& fill, const std::function<void(schema::Reply::Reader)>& piece);

  // Many in flight: send returns the request's id, receive the next reply to any of them.
  std::uint64_t send(const request_fill& fill);
  reply receive();
  std::size_t in_flight() const { return waiting_.size(); }
  // How often the connection was made anew: what the server kept for it is gone each time.
  unsigned reconnections() const { return reconnections_; }

 private:
  struct waiting {
    schema::sealed_message request;
    bool of_a_wait;  // answered when something happens: no answer says nothing
    bool partly_answered = false;
  };

  session(server_address address, std::chrono::milliseconds patience);
  std::uint64_t send(const command_name& command, const request_fill& fill);
  reply answer_to(std::uint64_t id);
  static session opened(session s);
  void connect();
  std::string first_line_of(const wire::wire_error& e) const;  // why there is no link
  void reconnect_and_resend(const std::string& why);
  void connect_and_resend();
  void turned_away(schema::Reply::Reader why);
  session_error given_up(std::uint32_t code, const std::string& line);

  server_address address_;
  std::chrono::milliseconds patience_;
  std::optional<wire::blocking_client> link_;  // none: there was no request yet, or the server was lost and given up
  std::uint64_t last_id_ = 0;
  unsigned reconnections_ = 0;
  bool answered_ = false;                                              // ever
  std::optional<std::chrono::steady_clock::time_point> broken_since_;  // the first of breaks with no answer and no long quiet between them
  std::chrono::steady_clock::time_point connected_at_{};
  std::optional<std::chrono::steady_clock::time_point> crowded_until_;  // since the server had no room: when to give up
  std::chrono::milliseconds crowd_pause_{};
  std::map<std::uint64_t, waiting> waiting_;
};

}  // namespace annals::client
