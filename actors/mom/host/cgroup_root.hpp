// The words about cgroups that all files of them share: where one is made, what it limits, what it tells.
// docs/design/0026-cgroups.md.
//
// This file is compiled into the shepherd as well: standard library only, and as little of it as possible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::mom {

// One mounted hierarchy, and what we use it for. v2 freezes, kills and counts cpu time even without controllers.
struct cgroup_root {
  std::string path;  // "/sys/fs/cgroup/memory"
  bool v2 = false;
  bool memory = false, cpu = false;       // limits, usage of memory; shares of cpus
  bool cpuacct = false, freezer = false;  // v1 only
  bool operator==(const cgroup_root&) const = default;
};

// "v2,memory,cpu:/sys/fs/cgroup", as it stands in an order.
std::string print_root(const cgroup_root& root);
std::optional<cgroup_root> parse_root(std::string_view text);

// What a run may take of its host (pbs guide: chunk, exec_vnode).
struct cgroup_limits {
  std::optional<std::uint64_t> memory_bytes;  // more makes the kernel kill a process of the run
  std::optional<std::uint64_t> vmem_bytes;    // memory and swap
  std::uint32_t ncpus = 0;                    // its share when there are fewer cpus than work
  bool cpu_quota = false;                     // never more than ncpus, even if others are idle
  bool operator==(const cgroup_limits&) const = default;
};

// What the processes used, ended ones included. Nothing: the hierarchies here don't tell.
struct cgroup_usage {
  std::optional<std::uint64_t> cpu_ms;
  std::optional<std::uint64_t> mem_kb, vmem_kb;  // highest ever; page cache counts, as the limit counts it
  std::uint64_t oom_kills = 0;                   // processes that the kernel killed at the memory limit
};

}  // namespace annals::mom
