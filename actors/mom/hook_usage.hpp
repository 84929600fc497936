// What hooks of this host set of a job's resources_used, before it stands in the log of its run or part.
#pragma once

#include <string>
#include <vector>

#include "actors/mom/mom_messages.hpp"
#include "events/model/usage.hpp"

namespace annals::actors {

// What can't be kept is left out, with a line in the log.
std::vector<model::usage_change> usage_to_keep(const mom_parts& parts, const std::string& job, const model::usage_set& set_so_far,
                                               std::vector<model::usage_change> wanted);

}  // namespace annals::actors
