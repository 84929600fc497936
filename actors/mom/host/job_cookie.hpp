// PBS_JOBCOOKIE, by which a process says on the task manager's socket which run it belongs to. Made when the run's order comes,
// and kept in it as the job's attribute "cookie": so it is in the logs of the run's hosts, and the sisters get it when they join.
// Source: pbs guide, "job environment"; docs/design/0022-task-manager.md.
#pragma once

#include <string>

#include "events/schema/daemon.capnp.h"
#include "events/schema/message.hpp"

namespace annals::mom {

// 32 hex digits from the kernel's random source. Throws std::system_error.
std::string new_cookie();

// The server's order with this cookie. `message`: a startRun.
schema::sealed<schema::ToMom> with_cookie(const schema::sealed<schema::ToMom>& message, const std::string& cookie);

// Empty: the order has none.
std::string cookie_of(schema::StartRun::Reader order);

}  // namespace annals::mom
