// Commands of jobs that come from the hosts of their runs: each over a connection that its MoM has opened with its own certificate, and
// whose first message says of which run the command is (commandOf). The log says whether that run is there, and who its user is;
// every request is looked at again, so that nothing is done for a run that has ended. Part of the gateway's actor.
// docs/design/0038-commands-of-jobs.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/users_connection.hpp"

namespace annals::actors {

class job_callers {
 public:
  // What one of them asks, as if it came from a peer who is the run's user on the run's host.
  using take_request = std::function<void(const wire::connection_ptr& caller, schema::sealed<schema::Request>)>;
  job_callers(actor_registry& board, take_request take, remote_places places)
      : board_(board), take_(std::move(take)), places_(std::move(places)) {}

  // The message belongs to such a connection, or makes its connection one; false: it is a MoM's own.
  bool takes(peer_frame& f);
  void on_user(const run_user& u);
  void on_closed(const peer_closed& c) { callers_.erase(c.peer->id()); }
  // The number of the job one of whose commands speaks over this connection; none: it is nobody's yet, or no such connection.
  std::optional<std::uint64_t> job_of(std::uint64_t connection) const;

 private:
  struct caller {
    wire::connection_ptr peer, as_user;  // the MoM's connection; the same with the user's name, null: not known yet
    std::uint64_t serial = 0;
    std::uint32_t run = 0;
    std::string job;
    bool refused = false;  // what may still come over it is nobody's word
    std::vector<schema::sealed_message> early;
    std::shared_ptr<void> place;
  };

  void open(caller& c, schema::RunRef::Reader run);
  void request(caller& c, schema::sealed_message message);
  void refuse_request(const caller& c, const schema::sealed_message& message);
  void refuse(caller& c, std::uint32_t code, const std::string& text);

  actor_registry& board_;
  take_request take_;
  remote_places places_;
  std::map<std::uint64_t, caller> callers_;  // by connection
};

}  // namespace annals::actors
