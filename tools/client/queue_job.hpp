// Sending a submission: a small script goes with the request, a large one ahead of it in pieces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/client/job_options.hpp"
#include "tools/client/session.hpp"

namespace annals::client {

struct queue_request {
  std::string queue;  // empty: the default queue
  std::vector<job_attribute> attributes;
  const std::string* script = nullptr;  // null: a job without one; an empty script is a script
  // default_qsub_arguments as they are among the attributes; the server refuses when they are others. Nothing: nobody looked.
  std::optional<std::string> defaults{};
};

// The server's answer: done with the new job's id, or a refusal. Submits once, whatever the server does meanwhile; of the requests
// that are made for one command, one.
reply queue_job(session& server, const queue_request& what, const session::command_name& command = session::new_command());

}  // namespace annals::client
