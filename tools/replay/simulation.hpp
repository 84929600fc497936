// What would have happened with another policy: jobs come, are altered, held and deleted when they were, and run as long as they really
// ran; when and where they start a scheduler decides anew. The server's side is played by the folds that the server itself has, fed with
// the recorded events and with invented ones for starts and ends. Governed by docs/design/0049-what-if.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/log/log_reader.hpp"
#include "tools/replay/job_history.hpp"

namespace annals::replay {

struct simulated_job {
  bool takes_part = false;          // it came into a queue of this scheduler
  std::int64_t first_start_ns = 0;  // 0: it never ran
  std::int64_t ended_ns = 0;        // 0: it never did
  std::int64_t cpu_ns = 0;          // as in job_history
};

struct simulation_outcome {
  std::vector<simulated_job> jobs;  // beside histories::jobs
  std::uint64_t cycles = 0;
  std::int64_t capacity_cpu_ns = 0;  // cpus of vnodes that were up, times time
  std::string trouble;               // not empty: the log can't be read further
  // Names in the policy that mean nothing with the resources that there were at the end (cycle::names_without_meaning).
  std::vector<std::string> names_without_meaning = {};
};

struct simulation_wanted {
  std::string scheduler = "default";
  std::string policy;  // cycle::policy_text
};

simulation_outcome simulate(const log::log_reader& reader, histories& recorded, const simulation_wanted& wanted,
                            const std::function<bool()>& go_on);

}  // namespace annals::replay
