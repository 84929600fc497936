// Commands of users of login hosts: each over a connection that the host's pbs_comm has opened with its own certificate, and which says
// whose the command is. That host's root is believed about its users, and the name service here says what group they are of. When the
// command is gone the connection waits for the next one, of whatever user, if the server has a place for one that waits.
// Part of the gateway's actor. docs/design/0063-login-hosts.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/gateway/callers/remote_callers.hpp"
#include "events/schema/comm.capnp.h"

namespace annals::actors {

class login_callers : private remote_callers {
 public:
  using remote_callers::take_request;
  // A caller who asked something is gone: what was kept for him is nobody's.
  using forget_caller = std::function<void(const wire::connection_ptr& caller)>;
  login_callers(actor_registry& board, take_request take, forget_caller forget, remote_places places);

  void on_frame(peer_frame& f);
  void on_closed(const peer_closed& c);

 private:
  struct login_caller : caller {
    std::uint64_t id = 0;  // of whom it speaks for; 0: for nobody
    std::string user;
    std::shared_ptr<void> waits;  // its place, while it speaks for nobody
  };

  void hear(login_caller& c, schema::CommWord::Reader word, const peer_frame& said);
  void begin(login_caller& c, std::string user);
  void on_groups(std::uint64_t connection, std::uint64_t id, const std::string& group);
  void speaks(login_caller& c, const std::string& group);
  void request(login_caller& c, schema::byte_span bytes, const peer_frame& said);
  void end(login_caller& c, std::uint64_t number);
  void leave(login_caller& c);

  // Groups of users, so that one who types one command after another does not wait for the name service each time.
  struct known_group {
    std::string group;
    std::int64_t since_ns;
    bool is_fresh(std::int64_t now) const;
  };
  const std::string* known_group_of(const std::string& user) const;
  void remember(const std::string& user, const std::string& group);

  const forget_caller forget_;
  const std::shared_ptr<wire::room<std::string>> idle_;  // by host
  std::map<std::uint64_t, login_caller> callers_;        // by connection of pbs_comm
  std::map<std::string, known_group> groups_;
};

}  // namespace annals::actors
