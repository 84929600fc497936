// Who submits: this process, as the Variable_List of its job tells (job_environment.hpp).
#pragma once

#include <string>

#include "tools/client/job_environment.hpp"

namespace annals::client {

submitter this_process(std::string working_directory);

}  // namespace annals::client
