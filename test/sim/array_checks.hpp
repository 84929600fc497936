// Job arrays in the simulated world: whether the log says that each subjob ran as often as it was to, never twice at once, and that each
// array ended when all of its subjobs had. docs/design/0057-job-arrays.md.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "events/ports/record_log.hpp"
#include "test/sim/job_words.hpp"

namespace annals::sim {

// Of an array of some subjobs, at times with a limit of how many may run.
std::vector<asked_value> drawn_array(world& w);
// The array itself, or a subjob or a range of it.
std::string drawn_part(world& w, const std::string& array);

// Empty: all is as it must be. `happened`: how often subjobs began, were queued again, deleted before they began, ...
std::string check_arrays(ports::record_log& store, std::map<std::string, int>& happened);

}  // namespace annals::sim
