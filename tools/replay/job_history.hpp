// What a log says of each job's life, as far as a simulation needs it: when it came, when it ran and for how long.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "events/log/log_reader.hpp"

namespace annals::replay {

struct job_history {
  std::uint64_t serial = 0;
  std::string id;
  std::uint32_t user = 0, queue = 0;  // of histories::names; the queue it was submitted to
  std::int64_t queued_ns = 0;
  std::int64_t first_start_ns = 0;    // 0: it never ran
  std::int64_t ended_ns = 0;          // 0: it never did
  std::int64_t ran_ns = -1;           // of the run with which it ended; -1: it ended in none
  std::int64_t shrunk_ns = 0;         // the walltime that this run was given, of a shrink-to-fit job; 0: none
  std::int64_t cpu_ns = 0;            // cpus times time that its runs had, until the log's end
  std::uint64_t exited_sequence = 0;  // of its last JobExited
};

struct histories {
  std::vector<job_history> jobs;                            // in the order in which they came
  std::unordered_map<std::uint64_t, std::uint32_t> by_job;  // serial -> place in jobs
  // Of arrays, by serial: index -> place in jobs. A subjob has one history, however often it begins, and waits since its array came.
  std::unordered_map<std::uint64_t, std::map<std::uint32_t, std::uint32_t>> subjobs;
  std::vector<std::string> names;  // of users and queues
  std::uint64_t last_sequence = 0;
  std::int64_t began_ns = 0, ended_ns = 0;  // of the first and of the last record
  std::string policy;                       // hash of the last one that `scheduler` used; empty: none
  job_history* find(std::uint64_t serial);
  // The place of a subjob, which is made if it has none.
  std::uint32_t subjob(std::uint64_t array, std::uint32_t index);
};

// Of the log up to `last`.
ports::store_status read_histories(const log::log_reader& reader, std::uint64_t last, const std::string& scheduler,
                                   const std::function<bool()>& go_on, histories& into);

// Cpus of an exec_vnode: "(n1:ncpus=2+n2:ncpus=1)" has 3.
std::int64_t cpus_of(std::string_view exec_vnode);

}  // namespace annals::replay
