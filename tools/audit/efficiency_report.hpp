// `pbs_audit efficiency`: how much of the cpus it was given, and of the memory and the walltime it asked for, each run made use of.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/values/job_id.hpp"
#include "tools/audit/tell_jobs.hpp"

namespace annals::audit {

enum class efficiency_form : std::uint8_t { text,
                                            json,
                                            csv };

struct efficiency_wanted {
  std::vector<values::job_id> jobs;  // empty: all
  std::string user, queue;           // empty: of all; the queue is that of the run
  std::uint64_t from = 1, to = 0;    // runs that ended at record `from` or later, and those that go on at record `to`, so far
  efficiency_form form = efficiency_form::text;
};

struct efficiency_told {
  std::size_t runs = 0;
  std::vector<std::size_t> unknown;  // of `jobs`, which the log does not know
  bool sound = true;
};

// Reads the log once, up to `to`. Nothing is printed when a job is unknown, or when go_on stops it.
efficiency_told tell_efficiency(const ports::event_store& store, const efficiency_wanted& wanted,
                                const std::function<bool(const std::string&)>& print, const beside_jobs& beside);

}  // namespace annals::audit
