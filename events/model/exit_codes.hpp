// Reasons below 0 for the end of a run that a MoM and the server agree on. PBS's own stand where they are used.
#pragma once

#include <cstdint>

namespace annals::model {

// The server has no script for the run (PBS has no number for it): nothing is wrong with the job, it is held.
inline constexpr std::int32_t exit_script_lost = -40;

}  // namespace annals::model
