// Bits of the log classes (pbs guide: "logs"), and what PBS makes of pbs.LOG_DEBUG and its like.
#pragma once

#include <cstdint>

namespace annals::hooks::log_level {
inline constexpr std::uint32_t error = 0x1, system = 0x2, admin = 0x4, job = 0x8, job_usage = 0x10, security = 0x20,
                               sched = 0x40, debug = 0x80, debug2 = 0x100, resv = 0x200, debug3 = 0x400, debug4 = 0x800,
                               force = 0x8000;
// The numbers of pbs.LOG_DEBUG, LOG_WARNING and LOG_ERROR. A line of LOG_DEBUG stands in PBS's logs as 0006.
inline constexpr std::uint32_t log_debug = 5, log_warning = 6, log_error = 7;
inline constexpr std::uint32_t bits_of(std::uint32_t level) {
  if (level == log_debug || level == log_warning) return system | admin;
  return level;  // LOG_ERROR is error, system and admin together
}
}  // namespace annals::hooks::log_level
