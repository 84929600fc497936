// One request per job of a list, as qdel, qhold, qrls, qrerun and qalter make them. Many are in flight at once, so that
// a long list costs a few syncs of the log and not one each; what was refused is printed in the order of the list.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "events/schema/client.capnp.h"

namespace annals::client {

struct job_requests {
  const char* command;  // "qdel"
  std::function<void(schema::Request::Builder, const std::string& id)> fill;
  // PBS names the job in "Job has finished" for qdel only.
  bool names_finished_job = false;
  bool each_once = false;  // a job that is named again is not asked for again
};

// Answers the last status that was not 0. Throws session_error for the first server that can't be reached.
int request_for_each_job(const job_requests& what, std::span<const std::string> words);

}  // namespace annals::client
