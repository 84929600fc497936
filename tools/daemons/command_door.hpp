// Where commands of jobs on this host come in: the MoM's second socket, and the connections to the server that they are handed on
// over (actors/mom/tasks/job_commands.hpp). docs/design/0038-commands-of-jobs.md.
#pragma once

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <functional>
#include <memory>
#include <string>

#include "actors/link/wire/wire.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "tools/daemons/mom_setup.hpp"

namespace annals::daemons {

// Of the pools of TM's callers, and of commands: they share the descriptors that the process may have.
wire::io_options tm_bounds();
wire::io_options command_bounds();

// The pool and the log outlive the actor that this makes.
std::unique_ptr<wire::listener> listen_for_commands(caf::actor_system& system, wire::io_pool& pool, const mom_setup& setup,
                                                    const wire::credentials& identity, const caf::actor& mom, actors::daemon_log& notes,
                                                    std::function<void(const std::string& text)> stop_process);

}  // namespace annals::daemons
