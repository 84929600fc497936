// What happened beside what would have happened: waits, use, and who won or lost. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/replay/job_history.hpp"
#include "tools/replay/simulation.hpp"

namespace annals::replay {

// Of some jobs. Waits are of jobs that started in both, in milliseconds from submission to the first start.
struct compared_group {
  std::string name;  // empty: of all
  std::uint64_t jobs = 0;
  std::uint64_t started_then = 0, started_now = 0;
  std::int64_t mean_wait_then = 0, mean_wait_now = 0;
  std::int64_t median_wait_then = 0, median_wait_now = 0;
  std::int64_t longest_wait_then = 0, longest_wait_now = 0;
  std::uint64_t sooner = 0, later = 0;     // jobs that start at least a second sooner or later
  std::int64_t cpu_then = 0, cpu_now = 0;  // cpus times seconds
};

struct comparison {
  std::int64_t from_ns = 0, to_ns = 0, capacity_cpu_ns = 0;
  std::uint64_t cycles = 0;
  compared_group all;
  std::vector<compared_group> users, queues;  // who wins most first: by the sum of the waits
};

comparison compare(const histories& recorded, const simulation_outcome& simulated);
std::string comparison_text(const comparison& c);
std::string comparison_json(const comparison& c);

}  // namespace annals::replay
