// The kernel's Landlock: a process that has put it on writes to named places only and can't look into any process that has not
// put on the same (ptrace, /proc/PID/mem), be it of the same user; nor can anything that it starts.
#pragma once

#include <string>
#include <vector>

namespace annals::hooks {

// Each of `writable` is there, a directory with all below it or a file. `signals`: processes outside may be signalled. Needs
// no-new-privileges or CAP_SYS_ADMIN. Empty: it is on, or this kernel has none.
std::string put_on_landlock(const std::vector<std::string>& writable, bool signals);

}  // namespace annals::hooks
