// What one run uses, sample by sample. A value: it knows what a process_table or a cgroup tells.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "actors/mom/host/job_cgroup.hpp"
#include "actors/mom/host/process_table.hpp"
#include "events/ports/process_host.hpp"

namespace annals::mom {

class usage_meter {
 public:
  // Takes in one picture of the machine. `started_ms`, `now_ms`: CLOCK_BOOTTIME. `cpu_ms_before`: of children of the shepherd that had
  // ended when the run started.
  void sample(const process_table& table, std::int64_t shepherd, std::uint64_t started_ms, std::uint64_t now_ms,
              std::uint64_t cpu_ms_before = 0);
  // The same for a session that was attached: what its ended processes used is known only to their parents.
  void sample_session(const process_table& table, std::int64_t session, std::uint64_t started_ms, std::uint64_t now_ms);
  // Same, from the run's cgroup: what it does not tell stays as it was.
  void sample(const cgroup_usage& used, std::uint64_t started_ms, std::uint64_t now_ms);
  // What is known now; the wall time is the caller's business.
  ports::run_usage so_far() const;

 private:
  void take(const std::vector<const process*>& members, std::uint64_t more_ms, std::uint64_t started_ms, std::uint64_t now_ms);
  void take_cpu(std::uint64_t cpu_ms, std::uint64_t started_ms, std::uint64_t now_ms);
  bool sampled_ = false;
  std::uint64_t cpu_ms_ = 0, at_ms_ = 0;    // of the last sample
  std::uint64_t mem_kb_ = 0, vmem_kb_ = 0;  // highest
  double percent_ = 0;
};

// Samples the runs of one machine: from their cgroups, and from /proc what those don't tell.
class usage_sampler {
 public:
  // Runs that are asked about within `age_max` share one picture of /proc.
  explicit usage_sampler(std::chrono::milliseconds age_max) : age_max_(age_max) {}
  struct subject {
    std::int64_t shepherd = 0;
    std::int64_t session = 0;  // that was attached; 0: the shepherd's descendants count
    std::uint64_t started_ms = 0;
    std::uint64_t cpu_ms_before = 0;  // of the shepherd's children that had ended then
  };
  void sample(usage_meter& meter, const job_cgroup& cgroup, const subject& of);

 private:
  std::chrono::milliseconds age_max_;
  process_table table_;
  std::optional<std::chrono::steady_clock::time_point> table_at_;
  std::uint64_t table_boottime_ms_ = 0;
};

}  // namespace annals::mom
