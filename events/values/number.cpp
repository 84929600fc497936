#include "events/values/number.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "events/values/string_list.hpp"

namespace annals::values {

std::optional<bool> parse_boolean(std::string_view text) {
  for (const char* yes : {"true", "t", "yes", "y", "1"})
    if (equal_any_case(text, yes)) return true;
  for (const char* no : {"false", "f", "no", "n", "0"})
    if (equal_any_case(text, no)) return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t magnitude = 0;
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (text.empty() || error != std::errc() || after != text.data() + text.size()) return std::nullopt;
  const std::uint64_t limit = static_cast<std::uint64_t>(INT64_MAX) + (negative ? 1 : 0);
  if (magnitude > limit) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

std::optional<double> parse_real(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  double value = 0;
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || after != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::string print_real(double value) {
  char text[400];  // the largest double has 309 digits before the point
  std::snprintf(text, sizeof text, "%.4f", value);
  std::string out(text);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

}  // namespace annals::values
