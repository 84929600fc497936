#include "actors/scheduler/cycle/dedicated_time.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "events/values/string_list.hpp"

namespace annals::cycle {

namespace {

std::optional<int> read_digits(std::string_view& text, std::size_t digits_max) {
  int value = 0;
  std::size_t n = 0;
  while (n < digits_max && n < text.size() && text[n] >= '0' && text[n] <= '9') value = value * 10 + (text[n++] - '0');
  if (n == 0) return std::nullopt;
  text.remove_prefix(n);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// "MM/DD/YYYY HH:MM" at the beginning of the text, as local time.
std::optional<moment> read_time(std::string_view& text) {
  text = values::trimmed(text);
  const auto month = read_digits(text, 2);
  if (!month || !take(text, '/')) return std::nullopt;
  const auto day = read_digits(text, 2);
  if (!day || !take(text, '/')) return std::nullopt;
  const auto year = read_digits(text, 4);
  if (!year || text.empty() || (text.front() != ' ' && text.front() != '\t')) return std::nullopt;
  text = values::trimmed(text);
  const auto hour = read_digits(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = read_digits(text, 2);
  const std::chrono::year_month_day date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!minute || *year < 1970 || !date.ok() || *hour > 23 || *minute > 59) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * day_seconds + (*hour * 60 + *minute) * 60;
}

}  // namespace

dedicated_time dedicated_time::parse(std::string_view text, const time_zone& zone, std::vector<file_complaint>* complaints) {
  std::vector<period> all;
  for (int line = 1; !text.empty(); ++line) {
    const auto end = text.find('\n');
    auto rest = values::trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (rest.empty() || rest[0] == '#') continue;
    const auto from = read_time(rest);
    const auto to = from ? read_time(rest) : std::nullopt;
    const bool good = to && values::trimmed(rest).empty() && *from < *to;
    if (good) all.push_back({zone.from_local(*from), zone.from_local(*to)});
    else if (complaints) complaints->push_back({line, "a period needs its beginning and its end, MM/DD/YYYY HH:MM MM/DD/YYYY HH:MM"});
  }
  std::sort(all.begin(), all.end(), [](const period& a, const period& b) { return a.from < b.from; });
  dedicated_time out;
  for (const auto& p : all) {
    if (!out.periods_.empty() && p.from <= out.periods_.back().to) out.periods_.back().to = std::max(out.periods_.back().to, p.to);
    else out.periods_.push_back(p);
  }
  return out;
}

const dedicated_time::period* dedicated_time::next_after(moment now) const {
  const auto next = std::upper_bound(periods_.begin(), periods_.end(), now, [](moment t, const period& p) { return t < p.from; });
  return next == periods_.end() ? nullptr : &*next;
}

const dedicated_time::period* dedicated_time::at(moment now) const {
  const auto next = std::upper_bound(periods_.begin(), periods_.end(), now, [](moment t, const period& p) { return t < p.from; });
  return next != periods_.begin() && now < std::prev(next)->to ? &*std::prev(next) : nullptr;
}

}  // namespace annals::cycle
