// Copying by a program: cp or scp, without a shell.
#pragma once

#include <string>
#include <vector>

#include "actors/mom/host/user_request.hpp"

namespace annals::shepherd {

// One try of a copy.
struct attempt {
  std::string wrong;      // what the program said; empty: copied
  std::string command;    // as the log tells it
  int status = 0;
  bool hopeless = false;  // another try would end as this one
};

attempt run_copy(const std::vector<std::string>& program, const std::vector<std::string>& operands, const mom::user_request& request);
// "user@host:path", which no program takes for an option.
std::string remote_name(const mom::user_request& request, const std::string& host, const std::string& path);

}  // namespace annals::shepherd
