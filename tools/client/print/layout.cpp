#include "tools/client/print/layout.hpp"

#include <charconv>

#include "events/values/shown_text.hpp"
#include "tools/client/print/shown.hpp"

namespace annals::client {

void put_left(std::string& out, std::string_view value, std::size_t width) {
  const shown printable(value);
  const std::string_view text = printable;
  if (text.size() <= width) {
    out.append(text).append(width - text.size(), ' ');
  } else {
    const auto front = values::front_of(text, width - 1);
    out.append(front).append("*").append(width - 1 - front.size(), ' ');
  }
}

void put_right(std::string& out, std::string_view value, std::size_t width) {
  const shown printable(value);
  std::string_view text = printable;
  text = values::front_of(text, width);
  out.append(width - text.size(), ' ').append(text);
}

void put_right(std::string& out, std::int64_t number, std::size_t width) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  if (text.size() < width) out.append(width - text.size(), ' ');
  out.append(text);
}

std::string_view without_seconds(std::string_view duration) {
  const auto colon = duration.rfind(':');
  return colon == std::string_view::npos || duration.find(':') == colon ? duration : duration.substr(0, colon);
}

std::int64_t seconds_of(std::string_view duration) {
  std::int64_t total = 0;
  if (duration.empty()) return -1;
  for (int parts = 0; parts < 3; ++parts) {
    std::int64_t part = 0;
    const auto [end, error] = std::from_chars(duration.data(), duration.data() + duration.size(), part);
    if (error != std::errc() || part < 0 || part > INT32_MAX) return -1;
    total = total * 60 + part;
    duration.remove_prefix(static_cast<std::size_t>(end - duration.data()));
    if (duration.empty()) return total;
    if (duration.front() != ':') return -1;
    duration.remove_prefix(1);
  }
  return -1;
}

}  // namespace annals::client
