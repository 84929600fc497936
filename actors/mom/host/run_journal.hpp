// The journal of one run, in mom_priv/jobs/<key>.run behind the order: the truth about it. Lines, each written with one
// write().
// Only the process that holds the file's lock appends: the shepherd while it lives, afterwards a MoM.
// docs/design/0004-shepherd.md says what each line means and what follows from one that is missing.
//
// This file is compiled into the shepherd as well: standard library only, and as little of it as possible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::mom {

struct journal_claimed {
  std::int64_t pid = 0;  // of the shepherd
  std::string boot;      // of the machine: other pids are meaningless after another boot
  bool operator==(const journal_claimed&) const = default;
};
struct journal_made {  // TMPDIR, which is this directory as long as it has this inode
  std::uint64_t device = 0, inode = 0;
  bool operator==(const journal_made&) const = default;
};
struct journal_started {
  std::int64_t pid = 0, session = 0;
  std::uint64_t start_ticks = 0;    // of pid, since boot, in clock ticks
  std::uint64_t boottime_ms = 0;    // CLOCK_BOOTTIME at the start
  std::uint64_t cpu_ms_before = 0;  // what children of the shepherd that had ended then had used: none of the program's
  bool operator==(const journal_started&) const = default;
};
struct journal_failed {
  int code = 0;
  std::string text;
  bool operator==(const journal_failed&) const = default;
};
struct journal_ended {
  int exit_status = 0;
  std::uint64_t cpu_ms = 0, wall_ms = 0;
  std::uint64_t mem_kb = 0, vmem_kb = 0;  // highest; 0: no cgroup told it
  bool operator==(const journal_ended&) const = default;
};

struct run_journal {
  std::optional<journal_claimed> claimed;
  std::optional<journal_made> made;
  std::string terminal;  // of an interactive job: what it and the MoM print appears there; empty: none
  bool forking = false;  // the next thing was to start the program
  std::optional<journal_started> started;
  std::optional<journal_ended> exited;  // the top process ended so; cleaning up goes on
  std::string killed;                   // why the kernel killed processes of it; empty: it did not
  std::optional<journal_failed> failed;
  std::optional<journal_ended> ended;
  std::vector<std::string> log;  // for the MoM's log, in order
  bool over() const { return failed || ended; }
};

// A line that is not whole, or not understood, is as if it were not there: its writer died before it counted. With a mark (order_file.hpp)
// so is one without it, which is left of an earlier run.
run_journal parse_journal(std::string_view text, std::string_view mark = {});
// Lines as they stand in a journal with this mark.
std::string marked(std::string_view lines, std::string_view mark);

std::string line_of(const journal_claimed& r);
std::string line_of(const journal_made& r);
std::string line_of(const journal_started& r);
std::string line_of(const journal_failed& r);
std::string line_of(const journal_ended& r);
std::string exited_line(const journal_ended& r);
std::string terminal_line(std::string_view name);
std::string forking_line();
std::string log_line(std::string_view text);
std::string killed_line(std::string_view why);

}  // namespace annals::mom
