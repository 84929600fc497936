// Points in time: what -a takes, and how commands print one. Local time of the process; the current time is an
// argument. Source: pbs guide, "values", "comments", qstat -f.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::values {

// "[[[[CC]YY]MM]DD]hhmm[.SS]" as seconds since 1970. Fields that are left out are those of `now`; when the result is
// not after `now`, the smallest field left out moves on by one (day, month, year). With a year the past is the past.
// Nothing: not a date.
std::optional<std::int64_t> parse_date_time(std::string_view text, std::int64_t now);

std::string print_date(std::int64_t seconds);          // "Tue Nov 18 14:05:00 2025"
std::string print_comment_date(std::int64_t seconds);  // "Sat Nov 21 at 00:27"
std::string print_log_date(std::int64_t seconds);      // "11/21/2025 00:27:03"
std::string print_day(std::int64_t seconds);           // "20251121": the name of the day's log file

}  // namespace annals::values
