#include "actors/scheduler/cycle/prime.hpp"

#include <algorithm>

#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::cycle {

namespace {

using values::equal_any_case;

// Weekdays and days of a year repeat themselves within this time, whatever is listed.
constexpr int days_ahead = 2 * 366;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = values::trimmed(line)).empty()) {
    const auto end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

// Which weekdays, from Sunday, a line is about.
std::vector<int> days_named(std::string_view word) {
  constexpr const char* names[] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
  if (equal_any_case(word, "weekday")) return {1, 2, 3, 4, 5};
  for (int i = 0; i < 7; ++i)
    if (equal_any_case(word, names[i])) return {i};
  return {};
}

// HHMM as seconds of the day.
std::optional<std::int32_t> time_of_day(std::string_view word) {
  if (word.size() != 4 || !std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  const int hours = (word[0] - '0') * 10 + (word[1] - '0'), minutes = (word[2] - '0') * 10 + (word[3] - '0');
  if (hours > 23 || minutes > 59) return std::nullopt;
  return (hours * 60 + minutes) * 60;
}

std::optional<day_plan> read_plan(std::string_view prime, std::string_view non_prime) {
  const auto is = [](std::string_view word, const char* what) { return equal_any_case(word, what); };
  const auto from = time_of_day(prime), until = time_of_day(non_prime);
  if ((!from && !is(prime, "all") && !is(prime, "none")) || (!until && !is(non_prime, "all") && !is(non_prime, "none")))
    return std::nullopt;
  if (is(prime, "all") || (is(non_prime, "none") && !is(prime, "none"))) return day_plan{true, {}};
  if (is(prime, "none") || is(non_prime, "all")) return day_plan{false, {}};
  if (*from == *until) return std::nullopt;
  day_plan plan{*from > *until, {}};  // prime time goes on over midnight
  if (*from == 0) plan.at_midnight = true;
  if (*until == 0) plan.at_midnight = false;
  if (*from > 0) plan.changes.emplace_back(*from, true);
  if (*until > 0) plan.changes.emplace_back(*until, false);
  std::sort(plan.changes.begin(), plan.changes.end());
  return plan;
}

}  // namespace

holidays holidays::parse(std::string_view text, std::vector<file_complaint>* complaints) {
  holidays out;
  for (int line = 1; !text.empty(); ++line) {
    const auto end = text.find('\n');
    const auto words = words_of(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (words.empty() || words[0][0] == '#' || words[0][0] == '*') continue;
    const auto complain = [&](std::string why) {
      if (complaints) complaints->push_back({line, std::move(why)});
    };
    const auto number = values::parse_real(words[0]);
    const auto days = days_named(words[0]);
    if (equal_any_case(words[0], "year")) {
      const auto year = words.size() > 1 ? values::parse_real(words[1]) : std::nullopt;
      if (!year || *year < 1970 || *year > 9999) complain("YEAR needs a year");
      else out.year_ = static_cast<int>(*year);
    } else if (!days.empty()) {
      const auto plan = words.size() > 2 ? read_plan(words[1], words[2]) : std::nullopt;
      if (!plan) complain("a day needs the times when prime and non-prime time begin, HHMM, all or none");
      else
        for (const int d : days) out.weekdays_[static_cast<std::size_t>(d)] = *plan;
    } else if (number && *number >= 1 && *number <= 366) {
      out.days_off_.insert(static_cast<int>(*number));
    } else {
      complain("neither YEAR, a day of the week nor a day of the year");
    }
  }
  return out;
}

bool holidays::out_of_date(moment now, const time_zone& zone) const { return year_ && year_of(day_of(zone.local(now))) > *year_; }

const day_plan& holidays::plan_of(std::int64_t day) const {
  static const day_plan off{false, {}};
  if (!days_off_.empty() && (!year_ || year_of(day) == *year_) && days_off_.contains(day_of_year(day))) return off;
  const auto weekday = (day % 7 + 7 + 4) % 7;  // 1970-01-01 was a Thursday
  return weekdays_[static_cast<std::size_t>(weekday)];
}

bool holidays::always_prime() const {
  return days_off_.empty() && std::all_of(weekdays_.begin(), weekdays_.end(), [](const day_plan& d) { return d == day_plan{}; });
}

prime_status prime_at(const holidays& h, const time_zone& zone, moment now) {
  prime_status status;
  if (h.always_prime()) return status;
  const auto today = day_of(zone.local(now));
  status.prime = h.plan_of(today).at_midnight;
  for (const auto& [second, prime] : h.plan_of(today).changes)
    if (zone.from_local(today * day_seconds + second) <= now) status.prime = prime;
  for (auto day = today; day < today + days_ahead; ++day) {
    const auto changes_to = [&](std::int32_t second, bool prime) {
      const auto when = zone.from_local(day * day_seconds + second);
      if (when <= now || prime == status.prime) return false;
      status.ends = when;
      return true;
    };
    const auto& plan = h.plan_of(day);
    if (changes_to(0, plan.at_midnight)) return status;
    for (const auto& [second, prime] : plan.changes)
      if (changes_to(second, prime)) return status;
  }
  return status;
}

}  // namespace annals::cycle
