// What a process says first on the MoM's socket for commands of jobs. docs/design/0038-commands-of-jobs.md.
#pragma once

#include <optional>
#include <string>

#include "events/schema/message.hpp"

namespace annals::actors {

// Within its bounds; nothing: it is no such word. Throws kj::Exception for a message that can't be read.
struct job_claim {
  std::string job, cookie;
};
std::optional<job_claim> read_claim(const schema::sealed_message& message);

}  // namespace annals::actors
