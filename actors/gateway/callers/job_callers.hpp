// Commands of jobs that come from the hosts of their runs: each over a connection that its MoM has opened with its own certificate, and
// whose first message says of which run the command is (commandOf). The log says whether that run is there, and who its user is;
// every request is looked at again, so that nothing is done for a run that has ended. Part of the gateway's actor.
// docs/design/0038-commands-of-jobs.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "actors/gateway/callers/remote_callers.hpp"

namespace annals::actors {

class job_callers : private remote_callers {
 public:
  using remote_callers::take_request;
  job_callers(actor_registry& board, take_request take, remote_places places)
      : remote_callers(board, std::move(take), std::move(places)) {}

  // The message belongs to such a connection, or makes its connection one; false: it is a MoM's own.
  bool takes(peer_frame& f);
  void on_user(const run_user& u);
  void on_closed(const peer_closed& c) { callers_.erase(c.peer->id()); }
  // The number of the job one of whose commands speaks over this connection; none: it is nobody's yet, or no such connection.
  std::optional<std::uint64_t> job_of(std::uint64_t connection) const;

 private:
  struct job_caller : caller {
    std::uint64_t serial = 0;
    std::uint32_t run = 0;
    std::string job;
  };

  void open(job_caller& c, schema::RunRef::Reader run);
  void request(job_caller& c, peer_frame&& said);
  void refuse_request(const job_caller& c, const schema::sealed_message& message);

  std::map<std::uint64_t, job_caller> callers_;  // by connection
};

}  // namespace annals::actors
