// Commands on other hosts, of jobs and of login hosts: what is the same for both. Each comes over the connection of a daemon that speaks
// for its user; when it is known who that is, what he asks is taken as if it came from a peer who is this user on that host.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/callers/users_connection.hpp"

namespace annals::actors {

class remote_callers {
 public:
  using take_request = std::function<void(const peer_frame& request)>;  // its peer is the caller

 protected:
  struct caller {
    wire::connection_ptr peer;                  // the daemon's
    std::shared_ptr<users_connection> as_user;  // the same with the user's name; null: it is not known yet who he is
    bool refused = false;                       // what may still come over it is nobody's word
    std::vector<peer_frame> early;              // said before that
    std::shared_ptr<void> place;
  };

  remote_callers(actor_registry& board, take_request take, remote_places places)
      : board_(board), take_(std::move(take)), places_(std::move(places)) {}
  ~remote_callers() = default;

  // False: the server has none for him, and he was refused.
  bool has_place(caller& c, const std::string& user);
  // It is known now who he is; `ask` takes what he said meanwhile.
  void speaks_as(caller& c, std::shared_ptr<users_connection> user, const std::function<void(peer_frame&&)>& ask);
  // False: there is nothing to be done with this message, now or ever.
  bool may_ask(caller& c, peer_frame& said);
  void take(const caller& c, peer_frame&& said) const {
    said.peer = c.as_user;
    take_(said);
  }
  // The reply is to no request: nothing follows it.
  void refuse(caller& c, std::uint32_t code, const std::string& text);

  actor_registry& board_;

 private:
  take_request take_;
  remote_places places_;
};

}  // namespace annals::actors
