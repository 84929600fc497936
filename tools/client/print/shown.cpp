#include "tools/client/print/shown.hpp"

#include <algorithm>

#include "events/values/shown_text.hpp"

namespace annals::client {

shown::shown(std::string_view value, line_ends ends) : value_(value) {
  if (!values::has_controls(value)) return;
  for (bool first = true; first || !value.empty(); first = false) {
    if (!first) {
      value.remove_prefix(1);
      text_ += ends == line_ends::kept ? "\n" : "\n\t";
    }
    const auto end = ends == line_ends::as_control ? value.size() : std::min(value.find('\n'), value.size());
    values::put_shown(text_, value.substr(0, end));
    value.remove_prefix(end);
  }
  value_ = text_;
}

}  // namespace annals::client
