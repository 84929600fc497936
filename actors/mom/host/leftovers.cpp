#include "actors/mom/host/leftovers.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>

#include "actors/mom/host/run_cgroups.hpp"
#include "actors/mom/host/run_files.hpp"

namespace annals::mom {
namespace {

// "PBS_JOBCOOKIE=..." of the order, or its PBS_JOBID: what every process of the run has in its environment, unless it
// took care to lose it.
std::string mark_of(const shepherd_order& order) {
  for (const std::string_view name : {"PBS_JOBCOOKIE=", "PBS_JOBID="})
    for (const auto& entry : order.environment)
      if (entry.size() > name.size() && entry.starts_with(name)) return entry;
  return {};
}

bool carries(std::int64_t pid, std::uint32_t uid, const std::string& mark) {
  const std::string path = "/proc/" + std::to_string(pid);
  struct stat st {};
  if (stat(path.c_str(), &st) != 0 || st.st_uid != uid) return false;
  const auto environment = read_file(path + "/environ");
  if (!environment) return false;
  std::string_view rest = *environment;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\0'), rest.size());
    if (rest.substr(0, end) == mark) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

}  // namespace

std::vector<std::int64_t> leftovers(const process_table& table, const shepherd_order& order,
                                    const std::optional<journal_started>& started) {
  const std::string mark = mark_of(order);
  // A session number means the run's session only while its leader is the process that was started: numbers are reused.
  const process* const leader = started ? table.find(started->session) : nullptr;
  const bool session_known = leader && leader->start_ticks == started->start_ticks;
  std::vector<std::int64_t> found;
  for (const process& p : table.all()) {
    if (p.state == 'Z' || p.pid == getpid()) continue;
    if ((session_known && p.session == started->session) || (!mark.empty() && carries(p.pid, order.uid, mark)))
      found.push_back(p.pid);
  }
  return found;
}

bool kill_leftovers_of(const shepherd_order& order, const std::optional<journal_started>& started) {
  const bool cgroup_was_empty = cgroup_of(order).kill();
  const auto pids = leftovers(process_table::now(), order, started);
  for (const auto pid : pids) kill(static_cast<pid_t>(pid), SIGKILL);
  return !pids.empty() || !cgroup_was_empty;
}

}  // namespace annals::mom
