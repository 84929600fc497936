#include "projections/exports/value.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "events/values/shown_text.hpp"

namespace annals::exports {
namespace {

constexpr std::string_view in_place_of_bad = "\xEF\xBF\xBD";

struct printing {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t n) const { return std::to_string(n); }
  std::string operator()(double n) const {
    char text[32];
    const auto end = std::to_chars(std::begin(text), std::end(text), n);
    return {text, end.ptr};
  }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(moment at) const { return print_moment(at); }
};

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const auto plain = std::find_if(text.begin(), text.end(), [](char c) { return c == 0 || static_cast<unsigned char>(c) >= 0x80; });
    const auto n = static_cast<std::size_t>(plain - text.begin());
    clean.append(text, 0, n);
    text.remove_prefix(n);
    if (text.empty()) break;
    const auto length = text.front() == 0 ? 0 : values::utf8_length(text);
    if (length == 0) clean += in_place_of_bad;
    else clean.append(text, 0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return clean;
}

// 64 bits of nanoseconds reach from 1677 to 2262.
std::string print_moment(moment at) {
  const auto us = std::chrono::floor<std::chrono::microseconds>(std::chrono::nanoseconds(at.ns));
  const auto midnight = std::chrono::floor<std::chrono::days>(us);
  const std::chrono::year_month_day date{std::chrono::sys_days(midnight)};
  const auto of_day = (us - midnight).count();
  char text[48];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(of_day / 3'600'000'000),
                static_cast<int>(of_day / 60'000'000 % 60), static_cast<int>(of_day / 1'000'000 % 60),
                static_cast<int>(of_day % 1'000'000));
  return text;
}

std::string print_day(moment at) { return print_moment(at).substr(0, 10); }

std::string print_plain(const value& v) { return std::visit(printing(), v); }

}  // namespace annals::exports
