#include "tools/daemons/amount_script.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>

#include "actors/runtime/owned_path.hpp"

extern char** environ;

namespace annals::daemons {

namespace {

using actors::script_answer;
using steady = std::chrono::steady_clock;

// No amount is longer; what a program prints without end is not gathered.
constexpr std::size_t line_bytes_max = 4096;

std::string program_of(const std::string& command) { return command.substr(0, command.find_first_of(" \t")); }

class child {
 public:
  child(const std::string& command, int out) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    const char* argv[] = {"sh", "-c", command.c_str(), nullptr};
    if (posix_spawn(&pid_, "/bin/sh", &files, &how, const_cast<char**>(argv), environ) != 0) pid_ = -1;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    if (pid_ < 0) return;
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
  }

 private:
  pid_t pid_ = -1;
};

// Its first line, or what there is when it ends. Nothing: the time was over.
std::optional<std::string> first_line(int from, std::optional<steady::time_point> until) {
  std::string text;
  for (;;) {
    pollfd ready{from, POLLIN, 0};
    int wait_ms = -1;
    if (until)
      wait_ms = static_cast<int>(std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(*until - steady::now()).count()));
    const int n = poll(&ready, 1, wait_ms);
    if (n == 0) return std::nullopt;
    if (n < 0 && errno == EINTR) continue;
    char bytes[512];
    const auto got = n < 0 ? 0 : read(from, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(bytes, static_cast<std::size_t>(got));
    if (const auto end = text.find('\n'); end != std::string::npos) return text.substr(0, end);
    if (text.size() > line_bytes_max) return text;
  }
}

}  // namespace

bool has_program(const std::string& command) {
  struct stat found {};
  return stat(program_of(command).c_str(), &found) == 0;
}

script_answer run_amount_script(const std::string& command, std::int64_t seconds) {
  struct stat found {};
  if (stat(program_of(command).c_str(), &found) != 0) return {script_answer::kind::missing, {}};
  if (!actors::why_not_owned(program_of(command), actors::owned_as::program).empty()) return {script_answer::kind::unsafe, {}};
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return {script_answer::kind::missing, {}};
  const std::optional<steady::time_point> until =
      seconds > 0 ? std::optional(steady::now() + std::chrono::seconds(std::min<std::int64_t>(seconds, 86400))) : std::nullopt;
  std::optional<std::string> line;
  {
    const child running(command, pipe_ends[1]);
    close(pipe_ends[1]);
    line = first_line(pipe_ends[0], until);
  }
  close(pipe_ends[0]);
  if (!line) return {script_answer::kind::timed_out, {}};
  return {script_answer::kind::told, std::move(*line)};
}

}  // namespace annals::daemons
