#include "tools/client/print/shown.hpp"

#include <algorithm>

namespace annals::client {

namespace {
bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }
}  // namespace

shown::shown(std::string_view value, line_ends ends) : value_(value) {
  if (std::none_of(value.begin(), value.end(), is_control)) return;
  for (const char c : value) {
    if (c == '\n' && ends != line_ends::as_control) {
      text_.append(ends == line_ends::kept ? "\n" : "\n\t");
    } else {
      if (is_control(c)) text_.push_back('^');
      text_.push_back(is_control(c) ? static_cast<char>(c ^ 0x40) : c);
    }
  }
  value_ = text_;
}

}  // namespace annals::client
