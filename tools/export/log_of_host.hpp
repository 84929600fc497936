// Which log a program reads that was given none.
#pragma once

#include <string>

namespace annals::exporting {

// The directory of the server's log below PBS_HOME, or on a follower's host of its copy.
std::string log_of_this_host();

}  // namespace annals::exporting
