// Commands of users of login hosts: each over a connection that the host's pbs_comm has opened with its own certificate, and whose first
// message says who asks. That host's root is believed about its users, and the name service here says what group they are of.
// Part of the gateway's actor. docs/design/0063-login-hosts.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/users_connection.hpp"

namespace annals::actors {

class login_callers {
 public:
  // What one of them asks, as if it came from a peer who is this user on that host.
  using take_request = std::function<void(const wire::connection_ptr& caller, schema::sealed<schema::Request>)>;
  login_callers(actor_registry& board, take_request take, remote_places places)
      : board_(board), take_(std::move(take)), places_(std::move(places)) {}

  void on_frame(peer_frame& f);
  void on_closed(const peer_closed& c) { callers_.erase(c.peer->id()); }

 private:
  struct caller {
    wire::connection_ptr peer, as_user;  // pbs_comm's connection; the same with the user's name, null: his group is not known yet
    std::string user;
    bool refused = false;
    std::vector<schema::sealed_message> early;
    std::shared_ptr<void> place;
  };

  void open(caller& c, std::string user);
  void on_groups(std::uint64_t connection, const std::vector<std::string>& groups);
  void request(caller& c, schema::sealed_message message);
  void refuse(caller& c, std::uint32_t code, const std::string& text);

  actor_registry& board_;
  take_request take_;
  remote_places places_;
  std::map<std::uint64_t, caller> callers_;  // by connection
};

}  // namespace annals::actors
