// resources_assigned of a queue and of the server, as they are shown.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "projections/status/status.hpp"

namespace annals::projections {

using resource_sums = std::map<std::string, std::string, std::less<>>;  // by resource

// The sums of what the running jobs of a queue asked for.
resource_sums assigned_in_queue(const status& from, std::string_view queue);
// Those of all running jobs, and of the reservations whose window is open. A reservation counts with what it asked for, or with what its
// jobs did where that is more.
resource_sums assigned_in_server(const status& from);

}  // namespace annals::projections
