// The server's side of sched_port (MS-88).
#pragma once

#include <cstdint>
#include <string>

namespace annals::daemons {

// Connects to the port of a scheduler that may be there, and lets go: it connects to the server at once instead of after its pause.
// Blocks for limits::scheduler_call_ms at most, and as long as the name service takes. False: nobody is there.
bool call_scheduler(const std::string& host, std::uint16_t port);

}  // namespace annals::daemons
