#include "tools/audit/apart.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace annals::audit {

namespace {

constexpr std::size_t words_max = 64u << 10;  // of what it says

[[noreturn]] void be_the_child(const std::function<void(int)>& work, int out) {
  ::dup2(out, 2);
  try {
    work(out);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    ::_exit(1);
  }
  ::_exit(0);
}

std::string all_of(int from) {
  std::string text;
  char piece[4096];
  for (ssize_t n; (n = ::read(from, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0 && text.size() < words_max) text.append(piece, static_cast<std::size_t>(n));
  return text;
}

}  // namespace

apart_end run_apart(const std::function<void(int out)>& work) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error(std::string("no process: ") + std::strerror(errno));
  if (child == 0) {
    ::close(ends[0]);
    be_the_child(work, ends[1]);
  }
  ::close(ends[1]);
  apart_end end{false, all_of(ends[0])};
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  end.well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (WIFSIGNALED(status) && end.said.empty()) end.said = "signal " + std::to_string(WTERMSIG(status));
  return end;
}

}  // namespace annals::audit
