#include "tools/terminal/forwarding.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "events/model/run/terminal_limits.hpp"
#include "tools/terminal/xauth.hpp"

namespace annals::terminal {

std::variant<x_forwarding, std::string> find_display(const std::string& value) {
  const auto display = parse_display(value);
  if (!display) return "DISPLAY is not the name of an X display: " + value;
  const auto list = xauth_list(display->authority());
  if (!list) return std::string("can't run xauth: ") + std::strerror(errno);
  x_forwarding found{*display, std::string(limits::display_made_cookie_bytes, '\0'), cookie_in(*list).value_or("")};
  if (getrandom(found.made_cookie.data(), found.made_cookie.size(), 0) != static_cast<ssize_t>(found.made_cookie.size()))
    return std::string("can't make a cookie: ") + std::strerror(errno);
  return found;
}

}  // namespace annals::terminal
