#include "actors/mom/runs/job_claim.hpp"

#include <algorithm>

#include "events/model/run/task_limits.hpp"
#include "events/schema/client.capnp.h"

namespace annals::actors {

// An empty cookie would be any, and what is said stands in the log.
std::optional<job_claim> read_claim(const schema::sealed_message& message) {
  const auto said = message.root<schema::CommandOfJob>();
  job_claim claim{schema::str(said.getJob()), schema::str(said.getCookie())};
  const auto good = [](const std::string& word) {
    const bool printable = std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    return printable && !word.empty() && word.size() <= limits::claim_bytes_max;
  };
  if (!good(claim.job) || !good(claim.cookie)) return std::nullopt;
  return claim;
}

}  // namespace annals::actors
