#include "events/values/recurrence_rule.hpp"

#include <algorithm>
#include <chrono>

#include "events/model/limits.hpp"

namespace annals::values {
namespace {

using how_often = recurrence_rule::frequency;
constexpr auto minute_s = seconds_of_minute, hour_s = seconds_of_hour, day_s = seconds_of_day;
constexpr std::int64_t years_ahead_max = 1000;  // a year has a number that std::chrono can have

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
constexpr int week_day_of(std::int64_t d) { return static_cast<int>(((d + 4) % 7 + 7) % 7); }  // 1970-01-01 was a Thursday

std::int64_t first_of_month(int year, unsigned month) {
  return std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) / 1).time_since_epoch().count();
}
std::int64_t first_of_year(int year) { return first_of_month(year, 1); }

struct date {
  int year;
  int month, in_month;  // from 1
};
date date_of(std::int64_t d) {
  const std::chrono::year_month_day ymd{std::chrono::sys_days(std::chrono::days(d))};
  return {static_cast<int>(ymd.year()), static_cast<int>(static_cast<unsigned>(ymd.month())),
          static_cast<int>(static_cast<unsigned>(ymd.day()))};
}

// Days from first to before end: what the positions of a day are counted in.
struct stretch {
  std::int64_t first, end;
};
stretch month_of(const date& t) {
  return {first_of_month(t.year, static_cast<unsigned>(t.month)),
          t.month == 12 ? first_of_year(t.year + 1) : first_of_month(t.year, static_cast<unsigned>(t.month + 1))};
}
stretch year_of(const date& t) { return {first_of_year(t.year), first_of_year(t.year + 1)}; }

bool has(const std::vector<int>& list, int value) { return std::find(list.begin(), list.end(), value) != list.end(); }
// Counted from the front or from the back: 1 is the first, -1 the last.
bool has_place(const std::vector<int>& list, std::int64_t from_front, std::int64_t count) {
  return has(list, static_cast<int>(from_front)) || has(list, static_cast<int>(from_front - count - 1));
}

// Week 1 is the first with four days in the year; it begins on the day of WKST.
std::int64_t first_week_of(int year, int week_start) {
  const auto fourth = first_of_year(year) + 3;
  return fourth - (week_day_of(fourth) - week_start + 7) % 7;
}
bool in_week(const recurrence_rule& rule, std::int64_t d, int year) {
  if (d >= first_week_of(year + 1, rule.week_start)) ++year;
  if (d < first_week_of(year, rule.week_start)) --year;
  const auto first = first_week_of(year, rule.week_start), end = first_week_of(year + 1, rule.week_start);
  return has_place(rule.weeks, (d - first) / 7 + 1, (end - first) / 7);
}

bool is_week_day(const recurrence_rule& rule, std::int64_t d, const date& t) {
  const auto in = rule.often == how_often::monthly || !rule.months.empty() ? month_of(t) : year_of(t);
  const auto from_front = (d - in.first) / 7 + 1, from_back = (d - in.end + 1) / 7 - 1;
  const auto day_of_week = week_day_of(d);
  return std::any_of(rule.week_days.begin(), rule.week_days.end(), [&](const auto& w) {
    return w.day == day_of_week && (w.position == 0 || w.position == from_front || w.position == from_back);
  });
}

bool fits(const recurrence_rule& rule, std::int64_t d) {
  const date t = date_of(d);
  if (!rule.months.empty() && !has(rule.months, t.month)) return false;
  if (!rule.month_days.empty()) {
    const auto in = month_of(t);
    if (!has_place(rule.month_days, t.in_month, in.end - in.first)) return false;
  }
  if (!rule.year_days.empty()) {
    const auto in = year_of(t);
    if (!has_place(rule.year_days, d - in.first + 1, in.end - in.first)) return false;
  }
  if (!rule.weeks.empty() && !in_week(rule, d, t.year)) return false;
  return rule.week_days.empty() || is_week_day(rule, d, t);
}

void sort_once(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// The start says what the rule leaves open: the hour of a daily one, the day of a monthly one.
recurrence_rule completed(recurrence_rule rule, clock_time start) {
  const auto today = floor_div(start, day_s);
  const date t = date_of(today);
  const auto in_day = static_cast<int>(start - today * day_s);
  const bool names_days = !rule.month_days.empty() || !rule.year_days.empty() || !rule.week_days.empty();
  if (rule.often == how_often::yearly && rule.weeks.empty() && rule.year_days.empty()) {
    if (rule.months.empty() && (!names_days || !rule.month_days.empty())) rule.months = {t.month};
    if (!names_days) rule.month_days = {t.in_month};
  }
  if (rule.often == how_often::monthly && !names_days) rule.month_days = {t.in_month};
  const bool is_of_week = rule.often == how_often::weekly || !rule.weeks.empty();
  if (is_of_week && !names_days) rule.week_days = {{week_day_of(today), 0}};
  if (rule.often >= how_often::daily && rule.hours.empty()) rule.hours = {in_day / static_cast<int>(hour_s)};
  if (rule.often >= how_often::hourly && rule.minutes.empty()) rule.minutes = {in_day / static_cast<int>(minute_s) % 60};
  if (rule.often >= how_often::minutely && rule.seconds.empty()) rule.seconds = {in_day % static_cast<int>(minute_s)};
  for (auto* list : {&rule.seconds, &rule.minutes, &rule.hours}) sort_once(*list);
  return rule;
}

class expander {
 public:
  expander(const recurrence_rule& rule, clock_time start, clock_time until, std::size_t most)
      : rule_(completed(rule, start)), start_(start), until_(until), most_(most) {
    const std::vector<int> none{0};
    hours_ = rule_.often >= how_often::daily ? rule_.hours : none;
    minutes_ = rule_.often >= how_often::hourly ? rule_.minutes : none;
    seconds_ = rule_.often >= how_often::minutely ? rule_.seconds : none;
  }

  expansion run() {
    if (rule_.often < how_often::daily) each_unit();
    else each_stretch();
    return std::move(out_);
  }

 private:
  bool is_done() const { return !out_.complete || past_until_ || out_.times.size() >= most_; }
  bool step() {
    if (out_.steps >= limits::recurrence_steps_max) return out_.complete = false;
    ++out_.steps;
    return true;
  }

  // An hour, a minute or a second after the other; the parts that name more than that leave some out.
  void each_unit() {
    std::int64_t unit = rule_.often == how_often::minutely ? minute_s : 1;
    if (rule_.often == how_often::hourly) unit = hour_s;
    for (auto at = floor_div(start_, unit) * unit; at <= until_ && !is_done() && step(); at += unit * rule_.interval)
      if (allows(at)) take_times({at});
  }
  bool allows(clock_time at) {
    const auto in_day = static_cast<int>(at - floor_div(at, day_s) * day_s);
    const auto is_one = [](const std::vector<int>& list, int value) { return list.empty() || has(list, value); };
    return is_one(rule_.hours, in_day / static_cast<int>(hour_s)) &&
           (rule_.often >= how_often::hourly || is_one(rule_.minutes, in_day / static_cast<int>(minute_s) % 60)) &&
           (rule_.often >= how_often::minutely || is_one(rule_.seconds, in_day % static_cast<int>(minute_s))) &&
           day_fits(floor_div(at, day_s));
  }
  bool day_fits(std::int64_t d) {
    if (d != known_day_) known_fits_ = fits(rule_, d);
    known_day_ = d;
    return known_fits_;
  }

  // A day, a week, a month or a year after the other.
  void each_stretch() {
    const auto today = floor_div(start_, day_s);
    const date t = date_of(today);
    const auto week = today - (week_day_of(today) - rule_.week_start + 7) % 7;
    for (std::int64_t n = 0; !is_done() && step(); n += rule_.interval) {
      stretch in{today + n, today + n + 1};
      if (rule_.often == how_often::weekly) in = {week + 7 * n, week + 7 * (n + 1)};
      if (rule_.often == how_often::monthly) {
        const auto months = t.month - 1 + n;
        in = month_of({t.year + static_cast<int>(months / 12), static_cast<int>(months % 12) + 1, 1});
      }
      if (rule_.often == how_often::yearly) {
        if (n > years_ahead_max) return;
        in = year_of({t.year + static_cast<int>(n), 1, 1});
      }
      if (in.first * day_s > until_) return;
      take_days(in);
    }
  }
  void take_days(stretch in) {
    std::vector<clock_time> days;
    for (auto d = in.first; d < in.end && step(); ++d)
      if (fits(rule_, d)) days.push_back(d * day_s);
    take_times(days);
  }

  // All times of these days or units; or those of them that BYSETPOS names.
  void take_times(const std::vector<clock_time>& of) {
    const auto each = static_cast<std::int64_t>(hours_.size() * minutes_.size() * seconds_.size());
    const auto count = static_cast<std::int64_t>(of.size()) * each;
    const auto at = [&](std::int64_t n) {
      const auto in_day = n % each;
      const auto of_seconds = static_cast<std::int64_t>(seconds_.size()), of_minutes = static_cast<std::int64_t>(minutes_.size());
      return of[static_cast<std::size_t>(n / each)] + hour_s * hours_[static_cast<std::size_t>(in_day / of_seconds / of_minutes)] +
             minute_s * minutes_[static_cast<std::size_t>(in_day / of_seconds % of_minutes)] +
             seconds_[static_cast<std::size_t>(in_day % of_seconds)];
    };
    if (rule_.positions.empty()) {
      const auto before = std::lower_bound(of.begin(), of.end(), floor_div(start_, day_s) * day_s) - of.begin();
      for (std::int64_t n = before * each; n < count && !is_done(); ++n) take(at(n));
      return;
    }
    std::vector<std::int64_t> places;
    for (const int p : rule_.positions)
      if (const auto n = p > 0 ? p - 1 : count + p; p != 0 && n >= 0 && n < count) places.push_back(n);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const auto n : places)
      if (!is_done()) take(at(n));
  }
  void take(clock_time at) {
    if (!step() || at < start_) return;
    if (at > until_) past_until_ = true;
    else out_.times.push_back(at);
  }

  const recurrence_rule rule_;
  const clock_time start_, until_;
  const std::size_t most_;
  std::vector<int> hours_, minutes_, seconds_;  // of each day or unit
  expansion out_;
  bool past_until_ = false;
  std::int64_t known_day_ = INT64_MIN;  // whether it fits is known
  bool known_fits_ = false;
};

}  // namespace

bool recurrence_rule::is_valid() const {
  if (interval < 1) return false;
  if (!weeks.empty() && often != how_often::yearly) return false;
  if (!year_days.empty() && often >= how_often::daily && often != how_often::yearly) return false;
  if (!month_days.empty() && often == how_often::weekly) return false;
  const bool has_positions = std::any_of(week_days.begin(), week_days.end(), [](const auto& w) { return w.position != 0; });
  return !has_positions || often == how_often::monthly || (often == how_often::yearly && weeks.empty());
}

expansion expand(const recurrence_rule& rule, clock_time start, clock_time until, std::size_t most) {
  return expander(rule, start, until, most).run();
}

}  // namespace annals::values
