#include "events/values/recurrence.hpp"

#include <libical/ical.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "events/model/limits.hpp"

namespace annals::values {
namespace {

constexpr std::int64_t minute = 60, hour = 60 * minute, day = 24 * hour, year = 366 * day;

// What PBS allows of a frequency, and how far ahead its occurrences are looked for: libical tries one step after the other, about a
// microsecond each, and a rule that never matches would keep it at that for hours.
struct frequency {
  icalrecurrencetype_frequency name;
  std::int64_t duration_max;
  std::int64_t horizon;
  std::uint32_t too_long;
};
constexpr frequency frequencies[] = {
    {ICAL_SECONDLY_RECURRENCE, 1, day, pbs_error::rrule_secondly},
    {ICAL_MINUTELY_RECURRENCE, minute, 60 * day, pbs_error::rrule_minutely},
    {ICAL_HOURLY_RECURRENCE, hour, 10 * year, pbs_error::rrule_hourly},
    {ICAL_DAILY_RECURRENCE, day, 100 * year, pbs_error::rrule_daily},
    {ICAL_WEEKLY_RECURRENCE, 7 * day, 100 * year, pbs_error::rrule_weekly},
    {ICAL_MONTHLY_RECURRENCE, 31 * day, 100 * year, pbs_error::rrule_monthly},
    {ICAL_YEARLY_RECURRENCE, year, 100 * year, pbs_error::rrule_yearly},
};

const frequency* frequency_of(icalrecurrencetype_frequency name) {
  const auto* found = std::find_if(std::begin(frequencies), std::end(frequencies), [&](const frequency& f) { return f.name == name; });
  return found == std::end(frequencies) ? nullptr : found;
}

bool valid(const icaltimetype& t) { return t.month >= 1 && t.month <= 12 && t.day >= 1 && t.day <= 31 && t.year >= 1970; }

// What the clocks of the zone show; libical's iterator knows no zones and compares these.
icaltimetype on_the_clock(std::int64_t seconds, icaltimezone* zone) { return icaltime_from_timet_with_zone(seconds, 0, zone); }

// A time that the clocks leave out, 02:30 when they go from 02:00 to 03:00, is what it would have been without that: 03:30.
std::int64_t seconds_of(const icaltimetype& clock, icaltimezone* zone) {
  const std::int64_t seconds = icaltime_as_timet_with_zone(clock, zone);
  const std::int64_t left_out = icaltime_as_timet(clock) - icaltime_as_timet(on_the_clock(seconds, zone));
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

// All occurrences of a rule that ends within the horizon.
result<std::vector<std::int64_t>, refusal> expanded(icalrecurrencetype rule, icaltimezone* zone, std::int64_t first_start,
                                                    std::int64_t horizon) {
  const bool counted = rule.count > 0;
  if (icaltime_is_utc(rule.until)) rule.until = on_the_clock(icaltime_as_timet(rule.until), zone);
  const icaltimetype last = on_the_clock(first_start + horizon, zone);
  const bool ends = !counted && icaltime_as_timet(rule.until) <= icaltime_as_timet(last);
  if (!ends) rule.until = last;
  const auto wanted = static_cast<std::size_t>(rule.count);
  rule.count = 0;
  const icaltimetype start = on_the_clock(first_start, zone);
  icalrecur_iterator* const steps = icalrecur_iterator_new(rule, start);
  if (!steps) return refuse(pbs_error::rrule_syntax);
  std::vector<std::int64_t> starts;
  bool in_calendar = true;
  while (in_calendar && starts.size() <= limits::occurrences_max && !(counted && starts.size() == wanted)) {
    const icaltimetype next = icalrecur_iterator_next(steps);
    if (icaltime_is_null_time(next)) break;
    in_calendar = valid(next);
    // 01:30 of the night in which the clocks go back comes twice; the user said which one.
    starts.push_back(icaltime_compare(next, start) == 0 ? first_start : seconds_of(next, zone));
  }
  icalrecur_iterator_free(steps);
  if (!in_calendar || starts.empty()) return refuse(pbs_error::rrule_syntax);
  if (starts.size() > limits::occurrences_max || (counted ? starts.size() < wanted : !ends)) return too_many();
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
  const frequency* const often = frequency_of(parsed.freq);
  if (!often) return refuse(pbs_error::rrule_syntax);
  if (parsed.count == 0 && icaltime_is_null_time(parsed.until)) return refuse(pbs_error::rrule_needs_end);
  if (duration > often->duration_max) return refuse(often->too_long);
  auto found = expanded(parsed, where, first_start, often->horizon);
  if (!found) return found;
  auto& starts = *found;
  // BYHOUR=9,9 names an occurrence twice; so does an hour that the clocks leave out.
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  for (std::size_t i = 1; i < starts.size(); ++i)
    if (starts[i] - starts[i - 1] < duration) return refuse(often->too_long);
  return found;
}

}  // namespace annals::values
