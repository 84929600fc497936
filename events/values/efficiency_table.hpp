// The table of pbs_efficiency, which also stands in the mail of a job's end where the site wants it: a line for the last run of each job,
// and one for all of them. Dates are in the local time of the process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/values/efficiency.hpp"

namespace annals::values {

struct job_efficiency : efficiency {
  std::string job, name, queue;
  std::int64_t ended_s = 0;  // seconds since 1970; 0: it goes on
};

void put_efficiency_table(std::string& out, const std::vector<job_efficiency>& all);

}  // namespace annals::values
