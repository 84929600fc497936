// The environment of a job and the node file. Pure. Source: pbs guide, "job environment" and "node file".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/mom/host/account.hpp"
#include "events/model/vnodes/allocation.hpp"

namespace annals::mom {

struct environment_inputs {
  std::vector<std::string> base;  // pbs_environment
  std::string pbs_exec;           // PBS_EXEC of pbs.conf; its programs are found last
  std::string variable_list;      // Variable_List: the submitter's -v, -V and PBS_O_*
  std::string job_id, job_name, queue;
  std::string account;      // empty: PBS_ACCOUNT is not set
  std::string schedselect;  // its first chunk gives NCPUS and OMP_NUM_THREADS
  std::string node_file, tmpdir, cookie;
  std::string array_id, array_index;  // subjobs
  std::uint16_t mom_manager_port = 15003;
  bool interactive = false;
};

// NAME=value. Later sources win over earlier ones: pbs_environment, the submitter's variables, what PBS sets.
std::vector<std::string> build_environment(const environment_inputs& in);

// One NAME=value, in the place of an older one of that name.
void put_variable(std::vector<std::string>& environment, std::string entry);

// What depends on the account: HOME, USER, LOGNAME, SHELL and PBS_JOBDIR; these win over everything.
void add_account(std::vector<std::string>& environment, const account& user, const std::string& shell,
                 const std::string& jobdir);

// One line per mpiprocs of each chunk, with the chunk's host, in the order of exec_host; chunks that exclhost added have none.
// `select_text`: that its chunks count in.
std::string node_file_text(const model::allocation& has, std::string_view select_text);

// The lines of pbs_environment that are NAME=value; the rest is skipped.
std::vector<std::string> parse_pbs_environment(std::string_view text);

}  // namespace annals::mom
