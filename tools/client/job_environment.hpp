// The Variable_List of a submission (pbs guide: Variable_List, job environment). Pure: environment and facts are
// arguments. The server adds PBS_O_QUEUE and PBS_O_HOST at the end, since only it knows the queue of a job that named
// none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/client/assignments.hpp"

namespace annals::client {

struct submitter {
  std::vector<assignment> environment;  // all of qsub's, in its order
  std::string working_directory;        // PBS_O_WORKDIR
  std::string system;                   // PBS_O_SYSTEM: "Linux"
};

// PBS_O_*, then `chosen` (-v), then, if `everything` (-V), the rest of the environment. As text with "\," for commas.
std::string variable_list(const submitter& who, const std::vector<assignment>& chosen, bool everything);

}  // namespace annals::client
