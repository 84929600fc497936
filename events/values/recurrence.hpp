// When a standing reservation begins, again and again: its iCalendar rule (RFC 5545) in the wall-clock time of a zone, so that
// 09:00 stays 09:00 when the clocks change. Source: pbs guide, "reservations"; pbs_rsub -r.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/pbs_error.hpp"
#include "events/values/result.hpp"

namespace annals::values {

// A question, and the answer to it. Reckoning looks at the zones of the system, and takes milliseconds: it is done where nobody waits,
// and rules take the answer as they take the time.
struct recurrence_question {
  std::string rule, zone;
  std::int64_t first_start = 0, duration = 0;  // seconds
  bool operator==(const recurrence_question&) const = default;
};
struct reckoned_recurrence {
  recurrence_question of;
  result<std::vector<std::int64_t>, refusal> starts;
};
reckoned_recurrence reckoned(recurrence_question of);

// Seconds since 1970, ascending: how many there are is the number of occurrences. The first one is `first_start`, or the first after
// it that the rule allows. A rule that does not end, a `duration` that is longer than its frequency or reaches into the next
// occurrence, and a rule with more than limits::occurrences_max occurrences are refused, as is one that takes more steps than
// limits::recurrence_steps_max. An empty rule is none: such a reservation is no standing one, and the caller knows.
result<std::vector<std::int64_t>, refusal> occurrence_starts(std::string_view rule, std::string_view zone, std::int64_t first_start,
                                                             std::int64_t duration);

}  // namespace annals::values
