// qsub -I behind the submission: waits for the job, then is its terminal until one of both has enough.
// docs/design/0059-interactive-jobs.md.
#pragma once

#include <optional>
#include <string>

#include "tools/client/session.hpp"
#include "tools/terminal/forwarding.hpp"

namespace annals::terminal {

// Keys and signals that would end or stop qsub are its own to judge from here on: to be called before the job exists.
void take_signals();

// Answers qsub's exit status (pbs guide: qsub -I): 0 for a session that has ended, however the job did; 1 when it never began.
int sit_at(const client::server_address& server, const std::string& job, const std::optional<x_forwarding>& forwarding);

}  // namespace annals::terminal
