// Two words of chance that a MoM adds to a run's order when it comes, as attributes of the job: so they are in the logs of the run's
// hosts, and the sisters get them when they join.
// "cookie": PBS_JOBCOOKIE, by which a process says on the task manager's socket which run it belongs to (0022-task-manager.md).
// "name_end": with it end the names of directories that are made for the run where others may make files (0004-shepherd.md).
#pragma once

#include <string>

#include "events/schema/daemon/shared.capnp.h"
#include "events/schema/daemon/to_mom.capnp.h"
#include "events/schema/message.hpp"

namespace annals::mom {

// 32 hex digits from the kernel's random source. Throws std::system_error.
std::string new_cookie();

// The server's order with both. `message`: a startRun.
schema::sealed<schema::ToMom> with_chance(const schema::sealed<schema::ToMom>& message, const std::string& cookie,
                                          const std::string& name_end);

// Empty: the order has none.
std::string cookie_of(schema::StartRun::Reader order);
std::string name_end_of(schema::StartRun::Reader order);

}  // namespace annals::mom
