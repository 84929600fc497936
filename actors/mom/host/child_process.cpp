#include "actors/mom/host/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "actors/mom/host/user_request.hpp"

namespace annals::mom {
namespace {

// What the shepherd waits for; blocked from its first instruction on, so that none can end it early.
sigset_t shepherd_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, request_signal}) sigaddset(&set, s);
  return set;
}

struct spawn_settings {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  spawn_settings() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~spawn_settings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  spawn_settings(const spawn_settings&) = delete;
  spawn_settings& operator=(const spawn_settings&) = delete;

  void use(int from, int as, int flags) {
    if (from >= 0)
      posix_spawn_file_actions_adddup2(&files, from, as);
    else
      posix_spawn_file_actions_addopen(&files, as, "/dev/null", flags, 0);
  }
};

}  // namespace

std::optional<child_process> spawn_program(const std::vector<std::string>& argv, int in, int out) {
  spawn_settings s;
  s.use(in, 0, O_RDONLY);
  s.use(out, 1, O_WRONLY);
  s.use(-1, 2, O_WRONLY);
  posix_spawn_file_actions_addclosefrom_np(&s.files, 3);
  const sigset_t blocked = shepherd_signals();
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&s.attributes, &blocked);
  posix_spawnattr_setsigdefault(&s.attributes, &all);
  posix_spawnattr_setflags(&s.attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> args;
  for (const auto& a : argv) args.push_back(const_cast<char*>(a.c_str()));
  args.push_back(nullptr);
  // What the MoM's open files were limited to, for the shepherd to go back to.
  std::string open_files;
  if (const char* before = std::getenv("ANNALS_OPEN_FILES")) open_files = std::string("ANNALS_OPEN_FILES=") + before;
  char* environment[] = {open_files.empty() ? nullptr : open_files.data(), nullptr};
  child_process child;
  if (const int error = posix_spawn(&child.pid, args[0], &s.files, &s.attributes, args.data(), environment)) {
    errno = error;
    return {};
  }
  child.pidfd = open_pidfd(child.pid);
  return child;
}

int open_pidfd(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

void ask_shepherd(int pidfd, int signal) {
  siginfo_t info{};
  info.si_signo = request_signal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_int = signal;
  syscall(SYS_pidfd_send_signal, pidfd, request_signal, &info, 0);
}

void stop_shepherd(int pidfd) { syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, nullptr, 0); }

int reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int bytes_to_read(std::string_view bytes) {
  const int fd = memfd_create("request", MFD_CLOEXEC);
  if (fd < 0) return -1;
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      close(fd);
      return -1;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  lseek(fd, 0, SEEK_SET);
  return fd;
}

}  // namespace annals::mom
