#include "actors/mom/host/cgroup_v1.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "actors/mom/host/cgroup_files.hpp"

namespace annals::mom::cgroup_v1 {
namespace {

namespace files = cgroup_files;

constexpr std::uint64_t share_of_cpu = 1024;  // what a cgroup has that nobody has set
constexpr std::uint64_t share_min = 2, share_max = 262144;
// What the kernel charges in advance for a cpu or two, or finds again later; more would show as the next run's.
constexpr std::uint64_t memory_left_max = 512 << 10;
constexpr std::uint64_t period_us = 100000, idle_quota_us = 20000;  // of a chunk with ncpus=0: a fifth of a cpu

std::string set(const std::string& path, std::uint64_t value) {
  const int error = files::write(path, std::to_string(value));
  return error ? path + ": " + strerror(error) : "";
}

// A run at work may have more than its new limit: the kernel takes back what it can, and refuses to go below the rest.
std::string set_not_below(const std::string& path, std::uint64_t value, const std::string& in_use) {
  const int error = files::write(path, std::to_string(value));
  if (error == EBUSY) return set(path, std::max(value, files::number(in_use).value_or(0)));
  return error ? path + ": " + strerror(error) : "";
}

}  // namespace

void weigh(const std::string& directory, const cgroup_root& root, std::uint32_t cpus) {
  if (root.cpu) set(directory + "/cpu.shares", std::clamp(cpus * share_of_cpu, share_min, share_max));
}

void count_children(const std::string& directory, const cgroup_root& root) {
  if (root.memory) files::write(directory + "/memory.use_hierarchy", "1");  // refused where they are counted already
}

std::string limit(const std::string& directory, const cgroup_root& root, const cgroup_limits& limits) {
  std::string wrong;
  const auto note = [&](const std::string& text) {
    if (wrong.empty()) wrong = text;
  };
  if (root.cpu) {
    note(set(directory + "/cpu.shares", std::clamp(limits.ncpus * share_of_cpu, share_min, share_max)));
    if (limits.cpu_quota)
      note(set(directory + "/cpu.cfs_quota_us", limits.ncpus ? limits.ncpus * period_us : idle_quota_us));
  }
  if (root.memory) {
    if (limits.memory_bytes)
      note(set_not_below(directory + "/memory.limit_in_bytes", *limits.memory_bytes, directory + "/memory.usage_in_bytes"));
    // After the other, which may not be higher. A kernel that does not account for swap has no such file.
    const std::string both = directory + "/memory.memsw.limit_in_bytes";
    if (limits.vmem_bytes && files::read(both)) {
      const auto memory = limits.memory_bytes ? files::number(directory + "/memory.limit_in_bytes").value_or(0) : 0;
      note(set_not_below(both, std::max(*limits.vmem_bytes, memory), directory + "/memory.memsw.usage_in_bytes"));
    }
  }
  return wrong;
}

bool freeze(const std::string& directory, bool frozen) {
  return files::write(directory + "/freezer.state", frozen ? "FROZEN" : "THAWED") == 0;
}

bool kill(const std::string& directory) {
  freeze(directory, true);  // nobody forks while we look
  const bool anybody = files::kill_members(directory);
  freeze(directory, false);  // a frozen process does not even die
  return !anybody;
}

void add_usage(const std::string& directory, const cgroup_root& root, cgroup_usage& usage) {
  if (root.cpuacct)
    if (const auto ns = files::number(directory + "/cpuacct.usage")) usage.cpu_ms = *ns / 1000000;
  if (!root.memory) return;
  if (const auto bytes = files::number(directory + "/memory.max_usage_in_bytes")) usage.mem_kb = *bytes / 1024;
  if (const auto bytes = files::number(directory + "/memory.memsw.max_usage_in_bytes")) usage.vmem_kb = *bytes / 1024;
  usage.oom_kills += files::number(directory + "/memory.oom_control", "oom_kill").value_or(0);
}

bool forget(const std::string& directory, const cgroup_root& root) {
  const auto write = [](const std::string& path, const char* text) {
    const int error = files::write(path, text);
    return error == 0 || error == ENOENT;  // not every kernel counts swap
  };
  if (root.cpuacct && !write(directory + "/cpuacct.usage", "0")) return false;
  if (!root.memory) return true;
  if (files::number(directory + "/memory.oom_control", "oom_kill").value_or(1) != 0) return false;
  if (files::number(directory + "/memory.usage_in_bytes").value_or(UINT64_MAX) > memory_left_max) return false;
  return write(directory + "/memory.max_usage_in_bytes", "0") && write(directory + "/memory.memsw.max_usage_in_bytes", "0");
}

}  // namespace annals::mom::cgroup_v1
