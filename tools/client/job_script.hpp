// Reading a job's script, whole, from a file or standard input.
#pragma once

#include <string>
#include <variant>

#include "tools/client/submission.hpp"

namespace annals::client {

// For standard input and files; an executable has no script. Complaints as PBS words them.
std::variant<std::string, complaint> read_job_script(const program_source& source);

}  // namespace annals::client
