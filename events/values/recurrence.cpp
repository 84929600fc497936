#include "events/values/recurrence.hpp"

#include <libical/ical.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "events/model/limits.hpp"
#include "events/values/recurrence_rule.hpp"

namespace annals::values {
namespace {

constexpr std::int64_t minute = seconds_of_minute, hour = seconds_of_hour, day = seconds_of_day, year = 366 * day;
// Later no clock of a reservation begins: 2200-01-01.
constexpr std::int64_t start_max = 7'258'118'400;

// PBS has a longest duration for each frequency. Occurrences are looked for up to the horizon.
struct frequency {
  icalrecurrencetype_frequency name;
  recurrence_rule::frequency often;
  std::int64_t duration_max;
  std::int64_t horizon;
  std::uint32_t too_long;
};
using often = recurrence_rule::frequency;
constexpr frequency frequencies[] = {
    {ICAL_SECONDLY_RECURRENCE, often::secondly, 1, day, pbs_error::rrule_secondly},
    {ICAL_MINUTELY_RECURRENCE, often::minutely, minute, 60 * day, pbs_error::rrule_minutely},
    {ICAL_HOURLY_RECURRENCE, often::hourly, hour, 10 * year, pbs_error::rrule_hourly},
    {ICAL_DAILY_RECURRENCE, often::daily, day, 100 * year, pbs_error::rrule_daily},
    {ICAL_WEEKLY_RECURRENCE, often::weekly, 7 * day, 100 * year, pbs_error::rrule_weekly},
    {ICAL_MONTHLY_RECURRENCE, often::monthly, 31 * day, 100 * year, pbs_error::rrule_monthly},
    {ICAL_YEARLY_RECURRENCE, often::yearly, year, 100 * year, pbs_error::rrule_yearly},
};
// A step for each unit or day up to the horizon, a few more for a year's days and for the times that are found.
static_assert(limits::recurrence_steps_max > 60 * day / minute + 2 * (day + limits::occurrences_max));
static_assert(limits::recurrence_steps_max > 2 * 100 * year / day + 2 * (day + limits::occurrences_max));

const frequency* frequency_of(icalrecurrencetype_frequency name) {
  const auto* found = std::find_if(std::begin(frequencies), std::end(frequencies), [&](const frequency& f) { return f.name == name; });
  return found == std::end(frequencies) ? nullptr : found;
}

template <std::size_t Size>
std::vector<int> numbers(const short (&list)[Size]) {
  return {std::begin(list), std::find(std::begin(list), std::end(list), static_cast<short>(ICAL_RECURRENCE_ARRAY_MAX))};
}

// As libical has read it, which knows the syntax; what it means is reckoned here, since libical searches for hours for what never comes.
recurrence_rule rule_of(const icalrecurrencetype& read, often how_often) {
  recurrence_rule rule;
  rule.often = how_often;
  rule.interval = read.interval;
  rule.week_start = read.week_start == ICAL_NO_WEEKDAY ? 1 : read.week_start - ICAL_SUNDAY_WEEKDAY;
  rule.seconds = numbers(read.by_second);
  rule.minutes = numbers(read.by_minute);
  rule.hours = numbers(read.by_hour);
  rule.month_days = numbers(read.by_month_day);
  rule.year_days = numbers(read.by_year_day);
  rule.weeks = numbers(read.by_week_no);
  rule.months = numbers(read.by_month);
  rule.positions = numbers(read.by_set_pos);
  for (const int d : numbers(read.by_day))
    rule.week_days.push_back({icalrecurrencetype_day_day_of_week(static_cast<short>(d)) - ICAL_SUNDAY_WEEKDAY,
                              icalrecurrencetype_day_position(static_cast<short>(d))});
  return rule;
}

clock_time on_the_clock(std::int64_t seconds, icaltimezone* zone) {
  return icaltime_as_timet(icaltime_from_timet_with_zone(seconds, 0, zone));
}

// A time that the clocks leave out, 02:30 when they go from 02:00 to 03:00, is what it would have been without that: 03:30. One that they
// show twice is the first of the two.
std::int64_t seconds_of(clock_time clock, icaltimezone* zone) {
  icaltimetype winter = icaltime_from_timet_with_zone(clock, 0, nullptr), summer = winter;
  summer.is_daylight = 1;
  const std::int64_t seconds = std::min(icaltime_as_timet_with_zone(winter, zone), icaltime_as_timet_with_zone(summer, zone));
  const std::int64_t left_out = clock - on_the_clock(seconds, zone);
  return left_out > 0 ? seconds + left_out : seconds;
}

// libical keeps a copy of the calendar's name that nothing but its iterator frees; PBS knows the Gregorian calendar alone.
bool names_a_calendar(std::string_view rule) {
  constexpr std::string_view word = "RSCALE";
  const auto same = [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; };
  return std::search(rule.begin(), rule.end(), word.begin(), word.end(), same) != rule.end();
}

refusal too_many() {
  return refuse_about(pbs_error::rrule_syntax, "more than " + std::to_string(limits::occurrences_max) + " occurrences, or too far ahead");
}
refusal too_many_steps() {
  return refuse_about(pbs_error::rrule_syntax, "it takes more than " + std::to_string(limits::recurrence_steps_max) + " steps to expand");
}
refusal none_in(std::int64_t horizon) {
  return refuse_about(pbs_error::rrule_syntax, "no occurrence in the next " + std::to_string(horizon / day) + " days");
}

// All occurrences of a rule that ends within the horizon.
result<std::vector<std::int64_t>, refusal> expanded(const recurrence_rule& rule, const icalrecurrencetype& read, icaltimezone* zone,
                                                    std::int64_t first_start, std::int64_t horizon) {
  const auto counted = static_cast<std::size_t>(std::max(read.count, 0));
  const clock_time start = on_the_clock(first_start, zone), last = on_the_clock(first_start + horizon, zone);
  const clock_time named = icaltime_is_utc(read.until) ? on_the_clock(icaltime_as_timet(read.until), zone) : icaltime_as_timet(read.until);
  const bool ends = counted == 0 && named <= last;
  constexpr auto most = limits::occurrences_max + 1;
  const auto all = expand(rule, start, ends ? named : last, counted > 0 ? std::min(counted, most) : most);
  if (!all.complete) return too_many_steps();
  if (all.times.empty()) return ends ? refuse(pbs_error::rrule_syntax) : none_in(horizon);
  if (all.times.size() > limits::occurrences_max || (counted > 0 ? all.times.size() < counted : !ends)) return too_many();
  std::vector<std::int64_t> starts;
  starts.reserve(all.times.size());
  // 01:30 of the night in which the clocks go back comes twice; the user said which one.
  for (const auto clock : all.times) starts.push_back(clock == start ? first_start : seconds_of(clock, zone));
  return starts;
}

}  // namespace

result<std::vector<std::int64_t>, refusal> occurrence_starts(std::string_view rule, std::string_view zone, std::int64_t first_start,
                                                             std::int64_t duration) {
  const std::string rule_text(rule), zone_name(zone);
  icaltimezone* const where = zone_name.size() <= limits::zone_name_chars_max && zone.find('\0') == std::string_view::npos
                                  ? icaltimezone_get_builtin_timezone(zone_name.c_str())
                                  : nullptr;
  if (!where) return refuse(pbs_error::bad_time_zone);
  if (rule.size() > limits::rrule_chars_max || rule.find('\0') != std::string_view::npos || names_a_calendar(rule))
    return refuse(pbs_error::rrule_syntax);
  const icalrecurrencetype parsed = icalrecurrencetype_from_string(rule_text.c_str());
  const frequency* const known = frequency_of(parsed.freq);
  if (!known) return refuse(pbs_error::rrule_syntax);
  if (parsed.count == 0 && icaltime_is_null_time(parsed.until)) return refuse(pbs_error::rrule_needs_end);
  if (duration > known->duration_max) return refuse(known->too_long);
  const auto rule_read = rule_of(parsed, known->often);
  if (!rule_read.is_valid() || first_start < 0) return refuse(pbs_error::rrule_syntax);
  if (first_start > start_max) return too_many();
  auto found = expanded(rule_read, parsed, where, first_start, known->horizon);
  if (!found) return found;
  auto& starts = *found;
  // BYHOUR=9,9 names an occurrence twice; so does an hour that the clocks leave out.
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  for (std::size_t i = 1; i < starts.size(); ++i)
    if (starts[i] - starts[i - 1] < duration) return refuse(known->too_long);
  return found;
}

reckoned_recurrence reckoned(recurrence_question of) {
  auto starts = occurrence_starts(of.rule, of.zone, of.first_start, of.duration);
  return {std::move(of), std::move(starts)};
}

}  // namespace annals::values
