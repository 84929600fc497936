// A line of the log for what the sandbox refuses to a script. It names the setting that allows it: an exception that a script catches, or
// hands on as "Operation not permitted", tells an administrator nothing.
#pragma once

#include "hooks-runtime/pbs_module/run_state.hpp"

namespace annals::hooks {

// For the life of the interpreter. Nothing is watched where nothing is refused.
void tell_of_refusals(const hook_home& home);

}  // namespace annals::hooks
