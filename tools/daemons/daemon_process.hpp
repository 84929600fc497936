// What every daemon does with its process: go to the background, hold its lock file, wait for signals. Plain system
// calls; use detach() before the first thread starts.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace annals::daemons {

// The way to the background. The calling process stays until its child says ready() or dies, and then exits with 0 or 1:
// whoever starts a daemon from a script knows that it works. Errors up to then go to the terminal.
class background {
 public:
  // stay: do nothing (-N). Returns in the child only.
  explicit background(bool stay);
  // No destructor: a daemon that fails to start prints why on its way out, and only its end lets the parent go.
  background(const background&) = delete;
  background& operator=(const background&) = delete;
  // Tells the parent, and points standard output and error to `output` (created, appended; "/dev/null" is fine).
  void ready(const std::string& output);

 private:
  int pipe_ = -1;
};

// An exclusive lock on a file that holds the daemon's pid and a newline (pbs guide: PBS_HOME). Kept until the process
// ends, however it ends; the file stays.
class lock_file {
 public:
  // Throws std::runtime_error: `running` when another process holds it, also a second later ("pbs_server: another server running"), or
  // half a minute later if that process has ended but for what the kernel does; else what failed with the file's name.
  // emptied: no pid stays behind when it is let go in an orderly way; of a daemon whose end others wait for by its pid it is kept.
  enum class at_end : std::uint8_t { kept,
                                     emptied };
  lock_file(const std::string& path, mode_t mode, const std::string& running, at_end then = at_end::kept);
  ~lock_file();
  lock_file(const lock_file&) = delete;
  lock_file& operator=(const lock_file&) = delete;

 private:
  int fd_ = -1;
  at_end then_;
};

// HUP, TERM and INT, told one after another on a thread of their own. Construct before other threads start, so that they
// inherit the mask. SIGPIPE is ignored.
class signal_watch {
 public:
  explicit signal_watch(std::function<void(int signal)> told);
  ~signal_watch();

 private:
  std::function<void(int)> told_;
  std::thread thread_;
};

// This process may open as many files as its hard limit says: the soft one is low for the sake of programs that use select(2).
// Our programs for jobs go back to it, told by ANNALS_OPEN_FILES in the environment. Call it before other threads start.
void raise_open_files();

}  // namespace annals::daemons
