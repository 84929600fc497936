#include "tools/terminal/job_program.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "events/model/run/terminal_limits.hpp"

namespace annals::terminal {

namespace {

// Nothing: its writer has ended without one.
std::optional<std::string> read_line(int fd) {
  std::string line;
  char c = 0;
  while (line.size() <= limits::terminal_name_bytes) {
    const auto n = read(fd, &c, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    if (c == '\n') return line;
    line += c;
  }
  return std::nullopt;
}

}  // namespace

int start_program(int go, char** words) {
  const auto term = read_line(go);
  close(go);
  if (!term) return 255;
  ioctl(STDIN_FILENO, TIOCSCTTY, 0);  // so that keys send signals, and the shell has job control
  if (!term->empty()) setenv("TERM", term->c_str(), 1);
  execv(words[0], words + 1);
  std::fprintf(stderr, "pbs_mom, exec of %s failed with error: %s\n", words[0], std::strerror(errno));
  return 254;
}

}  // namespace annals::terminal
