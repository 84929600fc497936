#include "events/values/duration.hpp"

#include <charconv>
#include <cstdlib>

namespace annals::values {
namespace {

// No duration is longer than this; keeps sums of three fields far from overflow.
constexpr std::int64_t seconds_max = INT64_MAX / 8;

std::optional<std::int64_t> digits(std::string_view text) {
  std::int64_t value = 0;
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || after != text.data() + text.size() || text.front() == '-') return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
  bool round_up = false;
  if (const auto dot = text.find('.'); dot != std::string_view::npos) {
    const std::string_view fraction = text.substr(dot + 1);
    if (fraction.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    round_up = !fraction.empty() && fraction.front() >= '5';
    text = text.substr(0, dot);
  }
  std::int64_t total = 0;
  for (int fields = 1;; ++fields) {
    const auto colon = text.find(':');
    const std::string_view field = text.substr(0, colon);
    const auto value = field.empty() ? std::nullopt : digits(field);
    if (!value || fields > 3 || *value > seconds_max || total > seconds_max / 60) return std::nullopt;
    total = total * 60 + *value;
    if (colon == std::string_view::npos) break;
    text = text.substr(colon + 1);
  }
  if (total > seconds_max) return std::nullopt;
  return total + (round_up ? 1 : 0);
}

std::string print_duration(std::int64_t seconds) {
  const bool negative = seconds < 0;
  const std::uint64_t s = negative ? 0 - static_cast<std::uint64_t>(seconds) : static_cast<std::uint64_t>(seconds);
  std::string out(negative ? "-" : "");
  if (s / 3600 < 10) out += '0';
  out += std::to_string(s / 3600);
  for (const std::uint64_t part : {s / 60 % 60, s % 60}) {
    out += ':';
    out += static_cast<char>('0' + part / 10);
    out += static_cast<char>('0' + part % 10);
  }
  return out;
}

}  // namespace annals::values
