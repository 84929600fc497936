// The first word of a process on the MoM's socket for commands of jobs. docs/design/0038-commands-of-jobs.md.
#pragma once

#include <optional>
#include <string>

#include "events/schema/message.hpp"

namespace annals::actors {

// Both have one character at least and limits::claim_bytes_max at most. Returns nullopt for any other word. Throws kj::Exception for a
// message that can't be read.
struct job_claim {
  std::string job, cookie;
};
std::optional<job_claim> read_claim(const schema::sealed_message& message);

}  // namespace annals::actors
