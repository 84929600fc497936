// Which files come to a run before its program, and which go when it has ended (pbs guide: stagein, stageout, -o, -e).
// Pure functions of what the server said and the MoM's settings. docs/design/0025-staging.md.
#pragma once

#include "actors/mom/host/start_order.hpp"

namespace annals::mom {

ports::stage_in_order stage_in_for(schema::StartRun::Reader start, const mom_settings& settings);

// A run that is to be run again leaves nothing behind: neither output nor results.
ports::delivery_order delivery_for(schema::StartRun::Reader start, const mom_settings& settings, int exit_status, bool run_again);

}  // namespace annals::mom
