// A recurrence rule (RFC 5545), and the times that it gives on a wall clock that knows no zone. Any rule costs a bounded number of
// steps, also one that never matches: who asks gets its times, or hears that they are too many or too far ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace annals::values {

// Seconds that a wall clock shows, counted from 1970-01-01 00:00.
using clock_time = std::int64_t;
inline constexpr std::int64_t seconds_of_minute = 60, seconds_of_hour = 3600, seconds_of_day = 86'400;

struct recurrence_rule {
  enum class frequency : std::uint8_t { secondly,
                                        minutely,
                                        hourly,
                                        daily,
                                        weekly,
                                        monthly,
                                        yearly };
  struct week_day {
    int day = 0;       // 0: Sunday
    int position = 0;  // 2: the second of the month or year; -1: the last; 0: each
  };
  frequency often = frequency::daily;
  std::int64_t interval = 1;
  int week_start = 1;  // 0: Sunday
  // BYSECOND and so on; empty: not given.
  std::vector<int> seconds, minutes, hours, month_days, year_days, weeks, months, positions;
  std::vector<week_day> week_days;

  // RFC 5545 has a table of the parts that go with a frequency.
  bool is_valid() const;
};

struct expansion {
  std::vector<clock_time> times;  // rising
  std::size_t steps = 0;          // that it took: limits::recurrence_steps_max at most
  bool complete = true;           // false: it would have taken more
};
// The times from `start` to `until`, both included; so many at most. What the rule leaves open is as in `start`.
expansion expand(const recurrence_rule& rule, clock_time start, clock_time until, std::size_t most);

}  // namespace annals::values
