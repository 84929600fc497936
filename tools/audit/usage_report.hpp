// `pbs_audit usage`: what a job used on each of its hosts, over time, and how much of what it held.
#pragma once

#include <functional>
#include <string>

#include "tools/audit/tell_jobs.hpp"

namespace annals::audit {

// Reads the whole log once. As JSON each job is one object on one line.
jobs_told tell_usage(const ports::event_store& store, const values::job_id& job, bool json,
                     const std::function<bool(const std::string&)>& print);

}  // namespace annals::audit
