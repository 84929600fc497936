// Why a job stays in a routing queue (qstat --why): the queue, the job or its destinations keep it there. No scheduler says it; it is read
// off the status at the moment of the question, by the rules by which the server routes. Governed by docs/design/0048-why.md.
#pragma once

#include <string>
#include <vector>

#include "projections/status/status.hpp"

namespace annals::projections {

// Returns whole sentences, the queue's first. Empty: the job is not in a routing queue, or has ended.
std::vector<std::string> why_not_routed(const status& from, const model::job_state& job);

}  // namespace annals::projections
