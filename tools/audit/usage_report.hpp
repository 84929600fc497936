// `pbs_audit usage`: what a job used on each of its hosts, over time, and how much of what it held.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/audit/tell_jobs.hpp"
#include "tools/audit/usage_plot.hpp"

namespace annals::audit {

enum class usage_form : std::uint8_t { text,
                                       json,
                                       csv,
                                       plot };

struct usage_wanted {
  values::job_id job;
  usage_form form = usage_form::text;
  bool by_host = false;                     // every resource, not only what each MoM measures; CSV and drawings always are
  std::vector<std::string> resources = {};  // of CSV, drawings and by host only these; empty: all, of a drawing cput and mem
  std::uint64_t from = 1, to = 0;           // the job as it is at record `to`, of it the samples from record `from` on
  page drawn_on = {};
};

struct usage_told {
  jobs_told told;
  std::string not_drawn;      // "name=value": a word; nothing was printed
  std::string without_value;  // a resource that was asked for, and no job of this id has a value of; nothing was printed
};

// Reads the log once, up to `to`. Half the truth would be wrong: nothing is printed when go_on stops it.
usage_told tell_usage(const ports::event_store& store, const usage_wanted& wanted, const std::function<bool(const std::string&)>& print,
                      const beside_jobs& beside);

}  // namespace annals::audit
