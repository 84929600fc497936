// Runs a program of the site that tells an amount (server_dyn_res): what it prints first, within a time.
#pragma once

#include <cstdint>
#include <string>

#include "actors/scheduler/cycle_driver.hpp"

namespace annals::daemons {

// Whether the command's program, its first word, is there.
bool has_program(const std::string& command);

// Runs it with /bin/sh and waits until it has printed a line or ended, at most `seconds` (0: as long as it takes); then it is killed with
// all that it started. Nothing is run if others than root and this process's user could have changed the program.
actors::script_answer run_amount_script(const std::string& command, std::int64_t seconds);

}  // namespace annals::daemons
