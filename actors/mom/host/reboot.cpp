#include "actors/mom/host/reboot.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>

namespace annals::mom {

bool order_reboot(const std::string& command) {
  std::string what = command.empty() ? "/sbin/shutdown -r now" : command;
  std::string argv[] = {"/bin/sh", "-c", "(eval \"$1\") </dev/null >/dev/null 2>&1 &", "sh", what};  // nobody's child to reap
  char* args[] = {argv[0].data(), argv[1].data(), argv[2].data(), argv[3].data(), argv[4].data(), nullptr};
  char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  char* environment[] = {path, nullptr};
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  errno = posix_spawn(&pid, args[0], &files, &attributes, args, environment);
  const bool started = errno == 0;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (!started) return false;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return true;
}

}  // namespace annals::mom
