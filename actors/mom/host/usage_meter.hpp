// What one run uses, sample by sample. A value: it knows nothing of /proc but what a process_table tells.
#pragma once

#include <cstdint>

#include "actors/mom/host/process_table.hpp"
#include "events/ports/process_host.hpp"

namespace annals::mom {

class usage_meter {
 public:
  // Takes in one picture of the machine. `started_ms`, `now_ms`: CLOCK_BOOTTIME.
  void sample(const process_table& table, std::int64_t shepherd, std::uint64_t started_ms, std::uint64_t now_ms);
  // The same for a session that was attached: what its ended processes used is known only to their parents.
  void sample_session(const process_table& table, std::int64_t session, std::uint64_t started_ms, std::uint64_t now_ms);
  // What is known now; the wall time is the caller's business.
  ports::run_usage so_far() const;

 private:
  void take(const std::vector<const process*>& members, std::uint64_t more_ticks, std::uint64_t started_ms, std::uint64_t now_ms);
  bool sampled_ = false;
  std::uint64_t cpu_ms_ = 0, at_ms_ = 0;    // of the last sample
  std::uint64_t mem_kb_ = 0, vmem_kb_ = 0;  // highest
  double percent_ = 0;
};

}  // namespace annals::mom
