// Who may order a run by hand, and what a job says that hooks kept from running. Pure.
#pragma once

#include <string>

#include "events/model/context.hpp"
#include "events/model/outcome.hpp"

namespace annals::model {

// qrun (pbs guide: operators and managers).
inline bool may_order_runs(const requester& by) { return by.is_operator(); }

// The comment of a job that a runjob hook refused to run (pbs guide: runjob).
inline std::string comment_not_run(const rejection& why) { return "Not Running: PBS Error: " + why.text; }

}  // namespace annals::model
