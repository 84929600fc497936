// Queued jobs in the order in which a cycle considers them (pbs guide: order): by queue, where by_queue or round_robin say so, then by
// job_sort_formula or else job_sort_key, then by rank. Fairshare, where it is on and there is no formula, picks from this order
// (fairshare.hpp).
#pragma once

#include <vector>

#include "actors/scheduler/cycle/moment.hpp"
#include "actors/scheduler/cycle/policy.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

struct formula_value {
  index job = none;
  double value = 0;
  const char* error = nullptr;  // why it could not be computed, in Python's words
};

struct job_order {
  std::vector<index> jobs;
  std::vector<formula_value> values;  // with a formula: of each of the jobs, by queue and rank
};

job_order in_order(view& v, const policy& p, const timed_settings& settings, moment now);

}  // namespace annals::cycle
