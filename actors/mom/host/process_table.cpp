#include "actors/mom/host/process_table.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "actors/mom/host/open_path.hpp"

namespace annals::mom {
namespace {

// A small file of /proc, as much as fits.
std::string_view read_small(const char* path, char* buffer, std::size_t size) {
  const int fd = open_path(path, O_RDONLY);
  if (fd < 0) return {};
  const ssize_t n = read(fd, buffer, size);
  close(fd);
  return {buffer, n > 0 ? static_cast<std::size_t>(n) : 0};
}

}  // namespace

std::optional<process> parse_stat(std::string_view line) {
  process p;
  const auto open_paren = line.find(" ("), close_paren = line.rfind(") ");  // the name between may hold anything
  if (open_paren == std::string_view::npos || close_paren == std::string_view::npos || close_paren + 2 >= line.size())
    return {};
  const auto pid = std::from_chars(line.data(), line.data() + open_paren, p.pid);
  if (pid.ec != std::errc() || pid.ptr != line.data() + open_paren) return {};
  p.state = line[close_paren + 2];
  // Fields 4 to 24 of proc(5), numbered as there.
  std::int64_t value[25] = {};
  const char* at = line.data() + close_paren + 3;
  const char* const end = line.data() + line.size();
  for (int field = 4; field <= 24; ++field) {
    while (at < end && *at == ' ') ++at;
    // Some fields are unsigned and may not fit (startstack and later ones are not read).
    std::uint64_t u = 0;
    const auto s = std::from_chars(at, end, value[field]);
    if (s.ec == std::errc()) {
      at = s.ptr;
      continue;
    }
    const auto r = std::from_chars(at, end, u);
    if (r.ec != std::errc()) return {};
    value[field] = static_cast<std::int64_t>(u);
    at = r.ptr;
  }
  p.parent = value[4];
  p.session = value[6];
  p.cpu_ticks = static_cast<std::uint64_t>(value[14]) + static_cast<std::uint64_t>(value[15]);
  p.children_cpu_ticks = static_cast<std::uint64_t>(value[16]) + static_cast<std::uint64_t>(value[17]);
  p.start_ticks = static_cast<std::uint64_t>(value[22]);
  p.vmem_bytes = static_cast<std::uint64_t>(value[23]);
  p.resident_pages = static_cast<std::uint64_t>(value[24]);
  return p;
}

std::optional<process> read_process(std::int64_t pid) {
  char buffer[1024];
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  return parse_stat(read_small(path.c_str(), buffer, sizeof buffer));
}

std::optional<std::uint32_t> user_of(std::int64_t pid) {
  char buffer[2048];
  const std::string path = "/proc/" + std::to_string(pid) + "/status";
  const auto text = read_small(path.c_str(), buffer, sizeof buffer);
  constexpr std::string_view label = "\nUid:\t";  // the name above it has its line ends escaped
  const auto at = text.find(label);
  std::uint32_t uid = 0;
  if (at == std::string_view::npos) return {};
  const auto* const begin = text.data() + at + label.size();
  return std::from_chars(begin, text.data() + text.size(), uid).ec == std::errc() ? std::optional(uid) : std::nullopt;
}

process_table process_table::now() {
  process_table table;
  DIR* const dir = opendir("/proc");
  if (!dir) return table;
  while (const dirent* e = readdir(dir)) {
    if (e->d_name[0] < '1' || e->d_name[0] > '9') continue;
    if (auto p = read_process(std::atoll(e->d_name))) table.processes_.push_back(*p);
  }
  closedir(dir);
  std::sort(table.processes_.begin(), table.processes_.end(),
            [](const process& a, const process& b) { return a.pid < b.pid; });
  return table;
}

const process* process_table::find(std::int64_t pid) const {
  const auto at = std::lower_bound(processes_.begin(), processes_.end(), pid,
                                   [](const process& p, std::int64_t id) { return p.pid < id; });
  return at != processes_.end() && at->pid == pid ? &*at : nullptr;
}

std::vector<const process*> process_table::descendants(std::int64_t root) const {
  std::vector<const process*> found;
  std::vector<std::int64_t> level{root}, next;
  // Level by level, so that parents come first; a table of n processes has at most n levels.
  for (std::size_t depth = 0; !level.empty() && depth <= processes_.size(); ++depth) {
    std::sort(level.begin(), level.end());
    next.clear();
    for (const process& p : processes_)
      if (p.pid != root && std::binary_search(level.begin(), level.end(), p.parent)) {
        found.push_back(&p);
        next.push_back(p.pid);
      }
    level.swap(next);
  }
  return found;
}

std::vector<const process*> process_table::of_session(std::int64_t session) const {
  std::vector<const process*> found;
  std::vector<std::int64_t> known;  // sorted
  for (const process& p : processes_)
    if (p.session == session) known.push_back(p.pid);
  // A child of a known process is known; a table of n processes has at most n levels.
  for (std::size_t before = 0; before != known.size();) {
    before = known.size();
    for (const process& p : processes_)
      if (const auto at = std::lower_bound(known.begin(), known.end(), p.pid);
          (at == known.end() || *at != p.pid) && std::binary_search(known.begin(), known.end(), p.parent))
        known.insert(at, p.pid);
  }
  for (const auto pid : known) found.push_back(find(pid));
  return found;
}

std::string boot_id() {
  char buffer[64];
  auto text = read_small("/proc/sys/kernel/random/boot_id", buffer, sizeof buffer);
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return text.empty() ? "unknown" : std::string(text);
}

std::uint64_t boottime_ms() {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000 + static_cast<std::uint64_t>(t.tv_nsec) / 1000000;
}

}  // namespace annals::mom
