// Processor time of one run. The kernel counts a process's whole life, so the limit moves along with it; past it the
// process and each program that it started die of SIGXCPU.
#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace annals::hooks {

inline void grant_cpu_seconds(std::uint32_t seconds) {
  rusage used{};
  rlimit now{};
  if (seconds == 0 || ::getrusage(RUSAGE_SELF, &used) != 0 || ::getrlimit(RLIMIT_CPU, &now) != 0) return;
  const rlim_t spent = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1;
  const rlimit granted{spent + seconds < now.rlim_max ? spent + seconds : now.rlim_max, now.rlim_max};
  if (granted.rlim_cur != now.rlim_cur) ::setrlimit(RLIMIT_CPU, &granted);
}

}  // namespace annals::hooks
