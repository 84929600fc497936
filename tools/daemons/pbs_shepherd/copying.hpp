// Bringing output files to their places, as the user. Source: pbs guide, "MoM" (output).
#pragma once

#include "actors/mom/host/user_request.hpp"

namespace annals::shepherd {

// Tries each copy as often as there are pauses, waiting before each try. A file that is copied is removed from where it
// was; one that can't be copied goes to its `retained` place. A file that is in neither place any more was delivered by
// an earlier request.
mom::user_answer copy_files(const mom::user_request& request);

}  // namespace annals::shepherd
