#include "actors/mom/host/cgroup_v2.hpp"

#include <algorithm>
#include <cstring>

#include "actors/mom/host/cgroup_files.hpp"

namespace annals::mom::cgroup_v2 {
namespace {

namespace files = cgroup_files;

constexpr std::uint64_t weight_of_cpu = 100;  // what a cgroup has that nobody has set
constexpr std::uint64_t weight_min = 1, weight_max = 10000;
constexpr std::uint64_t period_us = 100000, idle_quota_us = 20000;  // of a chunk with ncpus=0: a fifth of a cpu

std::string set(const std::string& path, const std::string& value) {
  const int error = files::write(path, value);
  return error ? path + ": " + strerror(error) : "";
}

std::string weight(std::uint32_t cpus) { return std::to_string(std::clamp(cpus * weight_of_cpu, weight_min, weight_max)); }

}  // namespace

void hand_down(const std::string& directory, const cgroup_root& root) {
  // One at a time: a refused one takes all of its line along.
  if (root.memory) files::write(directory + "/cgroup.subtree_control", "+memory");
  if (root.cpu) files::write(directory + "/cgroup.subtree_control", "+cpu");
}

void weigh(const std::string& directory, const cgroup_root& root, std::uint32_t cpus) {
  if (root.cpu) set(directory + "/cpu.weight", weight(cpus));
}

std::string limit(const std::string& directory, const cgroup_root& root, const cgroup_limits& limits) {
  std::string wrong;
  const auto note = [&](const std::string& text) {
    if (wrong.empty()) wrong = text;
  };
  if (root.cpu) {
    note(set(directory + "/cpu.weight", weight(limits.ncpus)));
    const auto quota = limits.ncpus ? limits.ncpus * period_us : idle_quota_us;
    if (limits.cpu_quota) note(set(directory + "/cpu.max", std::to_string(quota) + ' ' + std::to_string(period_us)));
  }
  if (root.memory) {
    // A run at work loses no process because its limit comes down: it stays above what is in use.
    const auto not_below = [&](std::uint64_t bytes, const char* in_use) {
      return std::to_string(std::max(bytes, files::number(directory + in_use).value_or(0)));
    };
    const auto memory = limits.memory_bytes.value_or(0);
    if (limits.memory_bytes) note(set(directory + "/memory.max", not_below(memory, "/memory.current")));
    // A kernel that does not account for swap has no such file.
    const std::string swap = directory + "/memory.swap.max";
    if (limits.vmem_bytes && files::read(swap))
      note(set(swap, not_below(*limits.vmem_bytes - std::min(*limits.vmem_bytes, memory), "/memory.swap.current")));
  }
  return wrong;
}

bool freeze(const std::string& directory, bool frozen) {
  return files::write(directory + "/cgroup.freeze", frozen ? "1" : "0") == 0;
}

bool kill(const std::string& directory) {
  if (files::members(directory).empty()) return true;
  if (files::write(directory + "/cgroup.kill", "1") == 0) return false;
  freeze(directory, true);  // before Linux 5.14: nobody forks while we look
  files::kill_members(directory);
  freeze(directory, false);
  return false;
}

void add_usage(const std::string& directory, const cgroup_root& root, cgroup_usage& usage) {
  if (const auto us = files::number(directory + "/cpu.stat", "usage_usec")) usage.cpu_ms = *us / 1000;
  if (!root.memory) return;
  if (const auto bytes = files::number(directory + "/memory.peak")) {
    usage.mem_kb = *bytes / 1024;
    if (const auto swap = files::number(directory + "/memory.swap.peak")) usage.vmem_kb = (*bytes + *swap) / 1024;
  }
  usage.oom_kills += files::number(directory + "/memory.events", "oom_kill").value_or(0);
}

}  // namespace annals::mom::cgroup_v2
