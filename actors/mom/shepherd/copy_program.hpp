// Copying by a program: cp or scp, without a shell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/mom/host/user_request.hpp"

namespace annals::shepherd {

// A request to copy and the moment, in monotonic_ms(), when it must be over.
struct copy_request {
  const mom::user_request& words;
  std::int64_t until_ms = 0;
};

// One try of a copy.
struct attempt {
  std::string wrong;    // what the program said; empty: copied
  std::string command;  // as the log tells it
  int status = 0;
  bool hopeless = false;  // another try would end as this one
};

// Until the program has ended, whoever else keeps its output open, or until it must be over: then it is killed.
attempt run_copy(const std::vector<std::string>& program, const std::vector<std::string>& operands, const copy_request& request);
// "user@host:path", which no program takes for an option.
std::string remote_name(const mom::user_request& request, const std::string& host, const std::string& path);

}  // namespace annals::shepherd
