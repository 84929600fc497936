#include "tools/audit/moment.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>

#include "events/log/clock_step.hpp"

namespace annals::audit {
namespace {

// A bare number in here is seconds since 1970 (2001 to 2286), as qstat --at takes it; a log that long is asked with "#".
constexpr std::uint64_t seconds_min = 1'000'000'000, seconds_max = 9'999'999'999;

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
  if (!day || *month < 1 || *month > 12 || *day < 1 || *day > 31) return false;
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
    default: return std::nullopt;
  }
  if (*count > now_ns / ns_per_s / unit_s) return moment{0, 0};  // before 1970 is before any log
  return moment{0, now_ns - *count * unit_s * ns_per_s};
}

std::optional<moment> parse_date_and_time(std::string_view text, std::int64_t now_ns) {
  std::tm when{};
  const auto now_s = static_cast<std::time_t>(now_ns / ns_per_s);
  ::localtime_r(&now_s, &when);
  std::int64_t fraction_ns = 0;
  const bool dated = take_date(text, when);
  if (!dated || take(text, ' ') || take(text, 'T')) {
    const auto taken = take_clock(text, when);
    if (!taken) return std::nullopt;
    fraction_ns = *taken;
  }
  if (!text.empty()) return std::nullopt;
  when.tm_isdst = -1;
  const auto seconds = std::mktime(&when);
  if (seconds == -1) return std::nullopt;
  return moment{0, static_cast<std::int64_t>(seconds) * ns_per_s + fraction_ns};
}

std::uint64_t last_not_after(const ports::event_store& store, std::int64_t wall_ns) {
  ports::store_status read;
  return log::last_not_after(store, wall_ns, read);
}

}  // namespace

std::optional<moment> parse_moment(std::string_view text, std::int64_t now_ns) {
  auto rest = text;
  (void)take(rest, '-');
  if (auto ago = parse_ago(rest, now_ns)) return ago;
  rest = text;
  (void)take(rest, '#');
  std::uint64_t sequence = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), sequence);
  if (error == std::errc() && end == rest.data() + rest.size() && sequence > 0) {
    const bool seconds = text.front() != '#' && sequence >= seconds_min && sequence <= seconds_max;
    return seconds ? moment{0, static_cast<std::int64_t>(sequence) * ns_per_s} : moment{sequence, 0};
  }
  return parse_date_and_time(text, now_ns);
}

std::uint64_t first_since(const ports::event_store& store, const moment& m) {
  return m.sequence > 0 ? std::min(m.sequence, store.last_sequence() + 1) : last_not_after(store, m.wall_ns - 1) + 1;
}

std::uint64_t last_until(const ports::event_store& store, const moment& m) {
  return m.sequence > 0 ? std::min(m.sequence, store.last_sequence()) : last_not_after(store, m.wall_ns);
}

sequence_range read_range(const ports::event_store& store, const std::string& since, const std::string& until, std::int64_t now_ns) {
  sequence_range range{1, store.last_sequence(), {}};
  const auto first = parse_moment(since, now_ns), last = parse_moment(until, now_ns);
  if (!since.empty() && !first) range.wrong = since;
  else if (!until.empty() && !last) range.wrong = until;
  if (!since.empty() && first) range.from = first_since(store, *first);
  if (!until.empty() && last) range.to = last_until(store, *last);
  return range;
}

}  // namespace annals::audit
