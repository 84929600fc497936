// Jobs that depend on others in the simulated world: what they are submitted with, and whether the log says that each was set free, run or
// deleted only when the others had come to what it waited for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "events/ports/record_log.hpp"
#include "test/sim/job_words.hpp"

namespace annals::sim {

// On one or two of these jobs; nothing: there is none yet.
std::vector<asked_value> drawn_dependencies(world& w, const std::vector<std::string>& jobs);

// Empty: all is as it must be. `happened`: how often jobs were set free, deleted for a dependency, ...
std::string check_dependencies(ports::record_log& store, std::map<std::string, int>& happened);

}  // namespace annals::sim
