#include "tools/terminal/xauth.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "events/model/run/terminal_limits.hpp"
#include "tools/client/printed.hpp"
#include "tools/terminal/x_setup.hpp"

extern char** environ;

namespace annals::terminal {

namespace {

// With standard input and output from and to these; -1: as ours. 0 or errno.
int start_xauth(pid_t& pid, const std::string& verb, const std::string& what, int in, int out) {
  posix_spawn_file_actions_t moves;
  posix_spawn_file_actions_init(&moves);
  if (in >= 0) posix_spawn_file_actions_adddup2(&moves, in, STDIN_FILENO);
  else posix_spawn_file_actions_addopen(&moves, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (out >= 0) posix_spawn_file_actions_adddup2(&moves, out, STDOUT_FILENO);
  std::string words[] = {"xauth", verb, what};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  const int wrong = posix_spawnp(&pid, "xauth", &moves, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&moves);
  return wrong;
}

void wait_for(pid_t pid) {
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {}
}

std::string all_of(int fd) {
  std::string text;
  char bytes[4096];
  for (;;) {
    const auto n = read(fd, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    if (text.size() < limits::xauth_list_bytes) text.append(bytes, static_cast<std::size_t>(n));
  }
}

}  // namespace

std::optional<std::string> xauth_list(const std::string& authority) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  pid_t pid = -1;
  const int wrong = start_xauth(pid, "list", authority, -1, ends[1]);
  close(ends[1]);
  std::optional<std::string> text;
  if (wrong == 0) {
    text = all_of(ends[0]);
    wait_for(pid);
  }
  close(ends[0]);
  errno = wrong;
  return text;
}

void xauth_add(const std::string& authority, const std::string& hexadecimal_cookie) {
  const auto line = "add " + authority + ' ' + std::string(x_cookie_kind) + ' ' + hexadecimal_cookie + '\n';
  int ends[2], wrong = 0;
  pid_t pid = -1;
  if (pipe2(ends, O_CLOEXEC) != 0 || write(ends[1], line.data(), line.size()) != static_cast<ssize_t>(line.size())) {  // a pipe holds more
    wrong = errno;
  } else {
    close(ends[1]);
    wrong = start_xauth(pid, "-q", "-", ends[0], -1);
    close(ends[0]);
  }
  if (wrong == 0) wait_for(pid);
  else client::print_error("X programs will not be let in: can't run xauth: %s\n", std::strerror(wrong));
}

}  // namespace annals::terminal
