// `pbs_audit startup`: how each start of a job went, host by host.
#pragma once

#include <functional>
#include <string>

#include "tools/audit/tell_jobs.hpp"

namespace annals::audit {

// Reads the whole log once, as long as go_on says so. As JSON each job is one object on one line.
jobs_told tell_startup(const ports::event_store& store, const values::job_id& job, bool json,
                       const std::function<bool(const std::string&)>& print, const std::function<bool()>& go_on);

}  // namespace annals::audit
