// The job that this process belongs to, as its environment says, and where the MoM of its host may be reached.
// docs/design/0022-task-manager.md, docs/design/0038-commands-of-jobs.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace annals::client {

struct own_job {
  std::string id, cookie;  // PBS_JOBID, PBS_JOBCOOKIE
  // What stands behind the first dot of the id.
  std::string server() const { return id.substr(id.find('.') + 1); }
};
// Nothing: one of both variables is missing, or the id names no server.
std::optional<own_job> job_of_environment();

// It is the job of this id, with the server's name.
bool is_own_job(const std::string& id);

// The value of an environment variable, or "" where there is none.
std::string environment_variable(const char* name);

// The directories that may hold mom_priv: that of the node file's MoM, then pbs.conf's. A job may name another node file, so there
// are two.
std::vector<std::string> mom_homes();

}  // namespace annals::client
