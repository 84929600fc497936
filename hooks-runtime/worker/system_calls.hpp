// The filter on system calls: what no script needs is refused with EPERM, whatever its user's rights are.
#pragma once

#include <string>

#include "hooks-runtime/protocol/hook.capnp.h"

namespace annals::hooks {

// Empty: it is on. `processes_max` is kept by the guard, which is asked at each start of a process.
std::string filter_system_calls(protocol::Sandbox::Reader rules, unsigned processes_max, int to_guard);

}  // namespace annals::hooks
