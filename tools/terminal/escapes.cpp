#include "tools/terminal/escapes.hpp"

namespace annals::terminal {

escape_reader::found escape_reader::read(std::string_view typed) {
  found f;
  while (!typed.empty()) {
    const char c = typed.front();
    typed.remove_prefix(1);
    if (at_ == place::line_start && c == '~') {
      at_ = place::tilde;
      continue;
    }
    if (at_ == place::tilde) {
      at_ = place::line_start;
      if (c == '.' || c == suspend_key_) {
        f.what = c == '.' ? wish::hang_up : wish::suspend;
        f.rest = typed;
        return f;
      }
      f.for_job += '~';
    }
    f.for_job += c;
    at_ = c == '\r' ? place::line_start : place::inside;  // what Enter sends
  }
  return f;
}

}  // namespace annals::terminal
