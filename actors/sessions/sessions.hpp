// What only a server that leads does with its status: the sessions of schedulers, what is run and ordered by hand, the waits of clients,
// and commands to many jobs at rest. It lives in the query actor and sees each commit that the status folds.
#pragma once

#include "actors/queries/query_actor.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "events/ports/clock.hpp"

namespace annals::actors {

// `notes`: the server's log; may be null.
make_leading_part sessions(const ports::clock* clock, daemon_log* notes);

}  // namespace annals::actors
