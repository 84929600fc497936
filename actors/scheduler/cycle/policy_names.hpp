// Names of resources in sched_config, compared with the resources there are: which these are is known only with a view.
#pragma once

#include <string>
#include <vector>

#include "actors/scheduler/cycle/policy.hpp"
#include "actors/scheduler/cycle/resource_table.hpp"

namespace annals::cycle {

// Returns a text, as in parsed_policy::complaints, for each resource that the policy names and that is not there, or is no amount where
// one is needed.
std::vector<std::string> names_without_meaning(const policy& p, const resource_table& resources);

}  // namespace annals::cycle
