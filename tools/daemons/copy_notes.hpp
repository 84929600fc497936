// What a MoM's log says of files that were copied for a job, or could not be (pbs guide: MoM log).
#pragma once

#include <string>

#include "actors/runtime/daemon_log.hpp"
#include "events/ports/process_host.hpp"

namespace annals::daemons {

// `way`: "in" or "out".
void note_copies(actors::daemon_log& notes, const std::string& job, const ports::delivery_result& result, const std::string& way);

}  // namespace annals::daemons
