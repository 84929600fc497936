// pbs.reboot(): the machine is to start anew.
#pragma once

#include <string>

namespace annals::mom {

// Starts the command in a shell of its own and does not wait for it; empty: the machine's own (shutdown -r now). False: errno
// says why.
bool order_reboot(const std::string& command);

}  // namespace annals::mom
