// Which Landlock the running kernel has.
#pragma once

#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace annals::hooks {

// 0: none, it is older than Linux 5.13, built without it or told at its start to leave it off.
inline long landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? version : 0;
}

}  // namespace annals::hooks
