// A picture of all processes of the machine, read once from /proc and shared by every run that is asked about.
// A process belongs to a run if the run's shepherd is among its ancestors: the shepherd is a subreaper, so that a
// process can't leave by starting a session or losing its parent.
//
// This file is compiled into the shepherd as well: standard library only, and as little of it as possible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::mom {

struct process {
  std::int64_t pid = 0, parent = 0, session = 0;
  char state = ' ';                      // 'Z': it has ended and waits to be reaped
  std::uint64_t cpu_ticks = 0;           // its own
  std::uint64_t children_cpu_ticks = 0;  // of the children it has waited for, theirs included
  std::uint64_t start_ticks = 0;
  std::uint64_t vmem_bytes = 0, resident_pages = 0;
};

// One line of /proc/PID/stat. Nothing: not such a line.
std::optional<process> parse_stat(std::string_view line);
std::optional<process> read_process(std::int64_t pid);
// Who started it: its real user id, which a program that takes another user's rights keeps. Nothing: it is gone.
std::optional<std::uint32_t> user_of(std::int64_t pid);

class process_table {
 public:
  static process_table now();
  const process* find(std::int64_t pid) const;
  // The descendants of `root`, parents before children; not root itself. Zombies count: their time is not yet their
  // parent's.
  std::vector<const process*> descendants(std::int64_t root) const;
  // The processes of a session and all their descendants.
  std::vector<const process*> of_session(std::int64_t session) const;
  const std::vector<process>& all() const { return processes_; }

 private:
  std::vector<process> processes_;  // ordered by pid
};

std::string boot_id();        // changes with each boot of the machine
std::uint64_t boottime_ms();  // CLOCK_BOOTTIME

}  // namespace annals::mom
