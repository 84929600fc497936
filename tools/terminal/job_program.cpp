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
#include "tools/client/printed.hpp"
#include "tools/terminal/xauth.hpp"

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

std::optional<program_words> read_words(int go) {
  const auto term = read_line(go), display = read_line(go), cookie = read_line(go);
  close(go);
  if (!term || !display || !cookie) return std::nullopt;
  return program_words{*term, static_cast<unsigned>(std::atoi(display->c_str())), *cookie};
}

// Programs look for the cookie of a display at this host under "unix", in their user's own file.
void forward_x(const program_words& told) {
  if (told.cookie.empty()) return;
  if (told.display == 0) return static_cast<void>(std::fputs("X is not forwarded: no display is free on this host\n", stderr));
  setenv("DISPLAY", ("localhost:" + std::to_string(told.display) + ".0").c_str(), 1);
  unsetenv("XAUTHORITY");
  xauth_add("unix:" + std::to_string(told.display), told.cookie);
}

}  // namespace

std::string words_for_program(const program_words& words) {
  return words.term + '\n' + std::to_string(words.display) + '\n' + words.cookie + '\n';
}

int start_program(int go, char** words) {
  const auto told = read_words(go);
  if (!told) return 255;
  ioctl(STDIN_FILENO, TIOCSCTTY, 0);  // so that keys send signals, and the shell has job control
  if (!told->term.empty()) setenv("TERM", told->term.c_str(), 1);
  forward_x(*told);
  execv(words[0], words + 1);
  client::print_error("pbs_mom, exec of %s failed with error: %s\n", words[0], std::strerror(errno));
  return 254;
}

}  // namespace annals::terminal
