// What hooks on a host are shown of a job, and what becomes of a program that they changed.
#pragma once

#include "actors/mom/hooks/hook_points.hpp"
#include "hooks-runtime/chain/payload.hpp"

namespace annals::actors {

// The job as it was sent to this host, with what it has now and what hooks before changed of it, and at the end what it used.
// port: where this host's MoM listens; 0: it does not matter.
hooks::hook_object job_object(const at_hook_point& at, std::uint16_t port = 0);
hooks::hook_object job_object(const job_at_work& at, std::uint16_t port = 0);
// Its vnodes with what it was given of each (RS-65): on the primary all of them, elsewhere those of this host. known: this host's
// vnodes, whose attributes are shown too.
std::vector<hooks::hook_object> vnode_objects(const hooked_job& job, const std::string& host, const std::vector<hooks::hook_object>& known);
// Those of hosts that failed (RS-64, RS-65): the job bears it, or it would not come to a hook that asks.
std::vector<hooks::hook_object> failed_vnode_objects(const hooked_job& job);

// progname, argv and env of execjob_launch. A task's has no PBS_NODEFILE (RS-129).
void put_program(const ports::run_order& program, hooks::hook_parameters& to);
void take_program(hooks::hook_parameters& from, ports::run_order& to);

// What hooks of this host that ran before the program made of the job's order: its Variable_List.
std::vector<model::shown_value> order_changes(const std::vector<schema::sealed<schema::HookRun>>& runs);

// What hooks of these runs changed, put to the parameters again. only: of this parameter; empty: of all.
void put_changes_again(const std::vector<schema::sealed<schema::HookRun>>& runs, std::string_view only, hooks::hook_parameters& to);

}  // namespace annals::actors
