#include "tools/terminal/escapes.hpp"

namespace annals::terminal {

escape_reader::found escape_reader::read(std::string_view typed) {
  found f;
  for (const char c : typed) {
    if (at_ == place::line_start && c == '~') {
      at_ = place::tilde;
      continue;
    }
    if (at_ == place::tilde) {
      at_ = place::line_start;
      if (c == '.') return f.what = wish::hang_up, f;
      if (c == suspend_key_) return f.what = wish::suspend, f;
      f.for_job += '~';
    }
    f.for_job += c;
    at_ = c == '\r' ? place::line_start : place::inside;  // what Enter sends
  }
  return f;
}

}  // namespace annals::terminal
