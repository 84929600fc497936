// One scheduling cycle: which queued jobs should run where, and why the others do not. A function of view, policy and the time it
// is asked for. Governed by docs/design/0005-scheduling.md.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "actors/scheduler/cycle/moment.hpp"
#include "actors/scheduler/cycle/policy.hpp"
#include "actors/scheduler/cycle/result.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

// One job that somebody asked for by name (qrun), whatever its queue, its holds and its place in the order say; running jobs make room
// for it. `job_at`: of job_intake::take_asked. The result has one run; or none, and `why` says why.
result run_asked(view& v, const policy& p, moment now, index job_at, std::string& why);

// Afterwards the view holds a claim for each proposed job, and each job that does not run has its new comment only once
// the caller says so (job_table::set_reason). `without`: serials of jobs that are not considered, as if they did not wait.
result run_cycle(view& v, const policy& p, moment now, const std::set<std::uint64_t>& without = {});

}  // namespace annals::cycle
