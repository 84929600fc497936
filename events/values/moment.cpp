#include "events/values/moment.hpp"

#include <charconv>
#include <chrono>
#include <ctime>

namespace annals::values {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
// A bare number in here is seconds since 1970, as qstat --at takes it (2001 to 2262; later there is no time); a log that long is asked
// with "#".
constexpr std::uint64_t seconds_min = 1'000'000'000, seconds_max = 9'999'999'999;
constexpr std::int64_t seconds_most = INT64_MAX / ns_per_s - 1;  // in nanoseconds they have a place: the year 2262, and 1677 before

// Takes a number of min..max digits from the front of the text.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t digits_min, std::size_t digits_max) {
  std::size_t n = 0;
  while (n < text.size() && n < digits_max && text[n] >= '0' && text[n] <= '9') ++n;
  if (n < digits_min) return std::nullopt;
  std::int64_t value = 0;
  if (std::from_chars(text.data(), text.data() + n, value).ec != std::errc()) return std::nullopt;
  text.remove_prefix(n);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// "hh:mm[:ss[.fraction]]" into the broken-down time; the fraction's nanoseconds, or nothing.
std::optional<std::int64_t> take_clock(std::string_view& text, std::tm& into) {
  const auto hour = take_number(text, 1, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2, 2);
  if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
  into.tm_hour = static_cast<int>(*hour);
  into.tm_min = static_cast<int>(*minute);
  into.tm_sec = 0;
  if (!take(text, ':')) return 0;
  const auto second = take_number(text, 2, 2);
  if (!second || *second > 60) return std::nullopt;
  into.tm_sec = static_cast<int>(*second);
  if (!take(text, '.')) return 0;
  const auto before = text.size();
  auto fraction = take_number(text, 1, 9);
  if (!fraction) return std::nullopt;
  for (auto digits = before - text.size(); digits < 9; ++digits) *fraction *= 10;
  return fraction;
}

bool take_date(std::string_view& text, std::tm& into) {
  auto rest = text;
  const auto year = take_number(rest, 4, 4);
  if (!year || !take(rest, '-')) return false;
  const auto month = take_number(rest, 2, 2);
  if (!month || !take(rest, '-')) return false;
  const auto day = take_number(rest, 2, 2);
  if (!day) return false;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return false;  // mktime takes a February of 30 days for March
  into = {};
  into.tm_year = static_cast<int>(*year) - 1900;
  into.tm_mon = static_cast<int>(*month) - 1;
  into.tm_mday = static_cast<int>(*day);
  text = rest;
  return true;
}

std::optional<moment> parse_ago(std::string_view text, std::int64_t now_ns) {
  const auto count = take_number(text, 1, 9);
  if (!count || text.size() != 1) return std::nullopt;
  std::int64_t unit_s = 0;
  switch (text.front()) {
    case 's': unit_s = 1; break;
    case 'm': unit_s = 60; break;
    case 'h': unit_s = 3600; break;
    case 'd': unit_s = 86400; break;
    case 'w': unit_s = 7 * 86400; break;
    default: return std::nullopt;
  }
  if (*count > now_ns / ns_per_s / unit_s) return moment{0, 0};  // before 1970 is before any log
  return moment{0, now_ns - *count * unit_s * ns_per_s};
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// "today", "yesterday": the first moment of that day.
bool take_day(std::string_view& text, std::tm& into) {
  const bool yesterday = take_word(text, "yesterday");
  if (!yesterday && !take_word(text, "today")) return false;
  into.tm_mday -= yesterday;  // mktime takes the 0th of a month
  into.tm_hour = into.tm_min = into.tm_sec = 0;
  return true;
}

std::optional<moment> parse_date_and_time(std::string_view text, std::int64_t now_ns) {
  std::tm when{};
  const auto now_s = static_cast<std::time_t>(now_ns / ns_per_s);
  ::localtime_r(&now_s, &when);
  std::int64_t fraction_ns = 0;
  const bool dated = take_date(text, when) || take_day(text, when);
  if (!dated || take(text, ' ') || take(text, 'T')) {
    const auto taken = take_clock(text, when);
    if (!taken) return std::nullopt;
    fraction_ns = *taken;
  }
  if (!text.empty()) return std::nullopt;
  when.tm_isdst = -1;
  const auto seconds = std::mktime(&when);
  if (seconds == -1 || seconds > seconds_most || seconds < -seconds_most) return std::nullopt;
  return moment{0, static_cast<std::int64_t>(seconds) * ns_per_s + fraction_ns};
}

}  // namespace

std::optional<moment> parse_moment(std::string_view text, std::int64_t now_ns) {
  if (text == "now") return moment{0, now_ns};
  auto rest = text;
  (void)take(rest, '-');
  if (auto ago = parse_ago(rest, now_ns)) return ago;
  rest = text;
  (void)take(rest, '#');
  std::uint64_t sequence = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), sequence);
  if (error == std::errc() && end == rest.data() + rest.size() && sequence > 0) {
    const bool seconds = text.front() != '#' && sequence >= seconds_min && sequence <= seconds_max;
    if (!seconds) return moment{sequence, 0};
    if (sequence > static_cast<std::uint64_t>(seconds_most)) return std::nullopt;
    return moment{0, static_cast<std::int64_t>(sequence) * ns_per_s};
  }
  return parse_date_and_time(text, now_ns);
}

}  // namespace annals::values
