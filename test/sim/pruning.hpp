// Hooks of the simulation that let go of vnodes of a job before its program (job.release_nodes(), RS-84 to RS-91, RS-93, RS-94).
#pragma once

#include <string>

#include "hooks-runtime/pool/hook_runner.hpp"

namespace annals::sim {

class world;

// What such a hook does in this run is drawn: it asks once or twice, and repeats in its reply what was granted; a worker that lies also
// what was not.
void prune(world& w, const hooks::hook_run& run, hooks::protocol::Reply::Builder reply);

// It keeps what the select says. False: that is not there without hosts that failed.
bool keep(const std::string& select, const hooks::hook_run& run, hooks::protocol::Reply::Builder reply);

}  // namespace annals::sim
