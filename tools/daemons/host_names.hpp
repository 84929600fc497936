// By which names and addresses this machine is known.
#pragma once

#include <string>
#include <vector>

namespace annals::daemons {

// The name of the machine, its full name as the resolver has it, "localhost", and the addresses of its interfaces. Asks
// the resolver, which may take seconds.
std::vector<std::string> names_of_this_host();

}  // namespace annals::daemons
