// What jobs used on their hosts, as data: every resource that was measured or that a hook has set, as CSV or JSON. Durations are in
// seconds, sizes in kb, and words are as they stand in the log.
#pragma once

#include <string>
#include <vector>

#include "projections/usage/usage.hpp"
#include "tools/audit/resource_types.hpp"

namespace annals::audit {

// The resources that these jobs have values of: what a MoM measures first, the others by name. `only`: these and no others, in this
// order; empty: all.
std::vector<std::string> resources_of(const std::vector<projections::job_usage>& jobs, const std::vector<std::string>& only = {});

// A row for each host and sample, a column for each resource. The sums over hosts are not in it.
std::string usage_csv(const std::vector<projections::job_usage>& jobs, const std::vector<std::string>& resources,
                      const resource_types& types);
// One object for each job, on one line.
std::string usage_json(const projections::job_usage& job, const std::vector<std::string>& resources, const resource_types& types);

}  // namespace annals::audit
