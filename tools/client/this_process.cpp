#include "tools/client/this_process.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <string_view>
#include <utility>

extern char** environ;

namespace annals::client {

submitter this_process(std::string working_directory) {
  submitter who{{}, std::move(working_directory), "Linux"};
  for (char** at = environ; at && *at; ++at) {
    const std::string_view entry = *at;
    if (const auto equals = entry.find('='); equals != std::string_view::npos && equals > 0)
      who.environment.push_back({std::string(entry.substr(0, equals)), std::string(entry.substr(equals + 1))});
  }
  utsname system;
  if (uname(&system) == 0) who.system = system.sysname;
  return who;
}

}  // namespace annals::client
