#include "events/values/date_time.hpp"

#include <ctime>

namespace annals::values {
namespace {

std::tm local(std::int64_t seconds) {
  const std::time_t t = seconds;
  std::tm out{};
  localtime_r(&t, &out);
  return out;
}

std::string formatted(std::int64_t seconds, const char* format) {
  const std::tm t = local(seconds);
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &t)};
}

// The two digits at `at`; -1: no digits.
int two_digits(std::string_view text, std::size_t at) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!digit(text[at]) || !digit(text[at + 1])) return -1;
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

// mktime() repairs dates like the 31st of April; one that comes back changed was none.
std::optional<std::int64_t> seconds_of(std::tm t) {
  std::tm normal = t;
  normal.tm_isdst = -1;
  const std::time_t seconds = std::mktime(&normal);
  if (normal.tm_mday != t.tm_mday || normal.tm_mon != t.tm_mon || normal.tm_year != t.tm_year) return std::nullopt;
  return seconds;
}

// Moves the smallest date field that was left out on by one: of hhmm the day, of DDhhmm the month, of MMDDhhmm the
// year.
void move_on(std::tm& t, std::size_t date_digits) {
  if (date_digits == 0)
    ++t.tm_mday;
  else if (date_digits == 2)
    ++t.tm_mon;
  else
    ++t.tm_year;
}

// A day that the month or year does not have (DD 31, a 29th of February) waits for one that has it.
std::optional<std::int64_t> next_after(std::tm t, std::size_t date_digits, std::int64_t now) {
  constexpr int tries_max = 9;  // years until a leap year, at most 8
  for (int tries = 0; tries < tries_max; ++tries) {
    const int wanted_day = t.tm_mday;
    if (date_digits == 0) {
      std::tm day = t;
      day.tm_isdst = -1;
      const std::time_t seconds = std::mktime(&day);
      if (seconds > now) return seconds;
    } else {
      if (t.tm_mon > 11) {
        t.tm_mon -= 12;
        ++t.tm_year;
      }
      const auto seconds = seconds_of(t);
      if (seconds && *seconds > now) return seconds;
      t.tm_mday = wanted_day;
    }
    move_on(t, date_digits);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_date_time(std::string_view text, std::int64_t now) {
  std::tm t = local(now);
  t.tm_sec = 0;
  if (const auto dot = text.find('.'); dot != std::string_view::npos) {
    if (text.size() != dot + 3) return std::nullopt;
    t.tm_sec = two_digits(text, dot + 1);
    if (t.tm_sec < 0 || t.tm_sec > 59) return std::nullopt;
    text = text.substr(0, dot);
  }
  if (text.size() < 4 || text.size() > 12 || text.size() % 2 != 0) return std::nullopt;
  int field[6] = {};  // from the end: minute, hour, day, month, year of the century, century
  for (std::size_t i = 0; i < text.size() / 2; ++i) {
    field[i] = two_digits(text, text.size() - 2 * (i + 1));
    if (field[i] < 0) return std::nullopt;
  }
  if (field[0] > 59 || field[1] > 23) return std::nullopt;
  t.tm_min = field[0];
  t.tm_hour = field[1];
  const std::size_t date_digits = text.size() - 4;
  if (date_digits >= 2) t.tm_mday = field[2];
  if (date_digits >= 4) t.tm_mon = field[3] - 1;
  if (t.tm_mday < 1 || t.tm_mday > 31 || t.tm_mon < 0 || t.tm_mon > 11) return std::nullopt;
  if (date_digits == 6) t.tm_year = field[4] < 69 ? field[4] + 100 : field[4];  // as POSIX reads two-digit years
  if (date_digits == 8) t.tm_year = field[5] * 100 + field[4] - 1900;
  if (t.tm_year < 70) return std::nullopt;  // before 1970: nothing ever waits for that
  return date_digits >= 6 ? seconds_of(t) : next_after(t, date_digits, now);
}

std::string print_date(std::int64_t seconds) { return formatted(seconds, "%a %b %e %H:%M:%S %Y"); }
std::string print_comment_date(std::int64_t seconds) { return formatted(seconds, "%a %b %d at %H:%M"); }
std::string print_log_date(std::int64_t seconds) { return formatted(seconds, "%m/%d/%Y %H:%M:%S"); }
std::string print_day(std::int64_t seconds) { return formatted(seconds, "%Y%m%d"); }

}  // namespace annals::values
