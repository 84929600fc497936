// From what the server said (ToMom.startRun) to what the host does: the order for the shepherd and, at the end of the
// run, where its output goes. Pure functions of the message, what the run has now, and the MoM's settings: exec_vnode and
// exec_host are those of what it has, never the message's (docs/design/0033-allocations-and-holdings.md).
// Source: pbs guide, "MoM" (output) and "job environment".
#pragma once

#include <string>
#include <vector>

#include "actors/mom/host/mom_settings.hpp"
#include "events/model/vnodes/allocation.hpp"
#include "events/ports/job_places.hpp"
#include "events/ports/process_host.hpp"
#include "events/schema/daemon/shared.capnp.h"
#include "events/values/program_key.hpp"

namespace annals::mom {

values::run_key key_of(schema::RunRef::Reader run);

// Its program has a terminal that its user sits at, and no output files.
bool is_interactive(schema::StartRun::Reader start);

// The order for one run. A script that is not in the message leaves script_text unset: set it, or have the file at
// order.script, before starting.
ports::run_order order_for(schema::StartRun::Reader start, const model::allocation& has, const mom_settings& settings);
// The select that the chunks of what the run has count in.
std::string select_of(schema::StartRun::Reader start, const model::allocation& has);
// Puts into an order what follows from what the run has: the node file, its cpus, its share of this host, its Resource_List.
void put_allocation(schema::StartRun::Reader start, const model::allocation& has, const mom_settings& settings, ports::run_order& order);

// sandbox=PRIVATE: the name of the job directory, the same on all hosts of the run, which may share it. Empty: none is wanted.
std::string private_jobdir_for(schema::StartRun::Reader start);

// What the run has on a host besides processes, where its program does not run.
ports::job_place place_for(schema::StartRun::Reader start, const model::allocation& has, const mom_settings& settings);

// What its processes may take of this host. Nothing: no cgroup is wanted ($use_cgroups).
std::optional<ports::host_share> share_here(const model::allocation& has, const mom_settings& settings);

// The order for a task of the run. `key`: of the task; its environment wins over the job's.
struct task_words {
  values::program_key key;
  std::uint32_t task = 0, node = 0;  // PBS_TASKNUM, PBS_NODENUM
  std::vector<std::string> argv, environment;
  ports::attached_session attached{};  // instead of a program
};
ports::run_order task_order_for(schema::StartRun::Reader start, const model::allocation& has, const mom_settings& settings,
                                const task_words& task);

// Resource_List without select and nodect, by name: "ncpus=1,place=free".
std::string resource_list_text(schema::StartRun::Reader start);

// The output files to deliver when the run has ended so. Empty: there is nothing to deliver (-k, /dev/null, -R).
std::vector<ports::delivery> deliveries_for(schema::StartRun::Reader start, const mom_settings& settings,
                                            int exit_status);

}  // namespace annals::mom
