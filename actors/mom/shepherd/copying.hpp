// Bringing files to their places, as the user. Source: pbs guide, "MoM" (output, staging).
#pragma once

#include "actors/mom/host/user_request.hpp"
#include "actors/mom/shepherd/copy_lock.hpp"

namespace annals::shepherd {

// Tries each copy as often as there are pauses, waiting before each try. Output that is copied is removed from where it
// was; what can't be copied goes to its `retained` place; what is in neither place any more was delivered by an earlier
// request. Files that came for the job go when everything else is done.
mom::user_answer bring_files(const mom::user_request& request, copy_lock& lock);

}  // namespace annals::shepherd
