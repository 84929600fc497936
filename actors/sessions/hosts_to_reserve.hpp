// The hosts that `pbs_rsub --hosts` names, as the status projection has them. Part of the sessions.
#pragma once

#include <vector>

#include "events/model/reservation/reservation.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

// Returns the hosts that the request names and that exist.
std::vector<model::host_to_reserve> hosts_to_reserve(const projections::status& now, schema::SubmitReservation::Reader asked);

}  // namespace annals::actors
