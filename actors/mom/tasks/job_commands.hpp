// Commands of jobs on this host, on their way to the server (actors/relay/passages.hpp). Each says of which job it is, and the kernel
// whose; the MoM tells the server of which run the command is. docs/design/0038-commands-of-jobs.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <functional>
#include <memory>
#include <string>

#include "actors/link/wire/complaints.hpp"
#include "actors/relay/passages.hpp"

namespace annals::actors {

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
