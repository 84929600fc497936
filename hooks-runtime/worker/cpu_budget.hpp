// Processor time of one run. The kernel counts a process's whole life, so the limit moves along with it; past it the
// process and each program that it started die of SIGXCPU.
#pragma once

#include <sys/resource.h>
#include <time.h>

#include <cstdint>

namespace annals::hooks {

inline void grant_cpu_seconds(std::uint32_t seconds) {
  timespec spent{};
  rlimit now{};
  if (seconds == 0 || ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) != 0 || ::getrlimit(RLIMIT_CPU, &now) != 0) return;
  const rlim_t wanted = static_cast<rlim_t>(spent.tv_sec) + 1 + seconds;
  const rlimit granted{wanted < now.rlim_max ? wanted : now.rlim_max, now.rlim_max};
  if (granted.rlim_cur != now.rlim_cur) ::setrlimit(RLIMIT_CPU, &granted);
}

}  // namespace annals::hooks
