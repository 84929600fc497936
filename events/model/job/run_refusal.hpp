// What a job says that hooks kept from running. Pure.
#pragma once

#include <string>

#include "events/model/outcome.hpp"

namespace annals::model {

// The comment of a job that a runjob hook refused to run (pbs guide: runjob).
inline std::string comment_not_run(const rejection& why) { return "Not Running: PBS Error: " + why.text; }

}  // namespace annals::model
