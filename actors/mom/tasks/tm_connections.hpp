// Who speaks TM on this host: processes of jobs, each over a connection of its own to the Unix socket. The kernel says who
// they are, the job's id and cookie which job they mean; what they ask goes to the job's actor (task_interface.hpp).
// docs/design/0022-task-manager.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include "actors/link/peer_messages.hpp"

namespace annals::actors {

struct tm_connections_parts {
  caf::actor mom;
  std::string host;      // this one
  std::string shepherd;  // the program above every job's processes
};

// Messages: peer_opened, peer_frame and peer_closed of the TM socket; job_found, task_answer and task_output of jobs. Processes that are
// to be attached are looked up on a thread of its own: the name service may take its time.
caf::behavior tm_connections(caf::event_based_actor* self, tm_connections_parts parts);

}  // namespace annals::actors
