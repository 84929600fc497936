// Jobs whose starts fail: how often they were started, and how long they rest before they are started again. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "events/attributes/ids.hpp"
#include "events/model/exit_codes.hpp"
#include "events/model/job/job.hpp"
#include "events/model/limits.hpp"
#include "events/values/date_time.hpp"
#include "events/values/number.hpp"

namespace annals::model {

// As its run_count shows: those that its owner gave it count too.
inline std::int64_t counted_starts(const job_state& job) {
  return values::parse_integer(job.attribute(attributes::job::run_count)).value_or(0);
}

// A hook that asks for another start each time costs as much as one that refuses it.
constexpr bool fails_start(std::int32_t code) { return is_failed_start(code) || code == exit_hook_wants_rerun; }

// Behind so many failures, one after the other: 1, 2, 4 ... 60 s.
inline std::int64_t rest_after_s(std::uint32_t failures) {
  constexpr std::uint32_t doublings_max = 16;  // the most is reached long before
  const auto doubled = limits::failed_start_rest_s << std::min(failures > 0 ? failures - 1 : 0, doublings_max);
  return std::min(doubled, limits::failed_start_rest_s_max);
}

// Until when, if it fails to start now. What fails while it rests already belongs to the failure before it: an array's subjobs are started
// many at once.
inline std::int64_t rest_until_ns(const job_state& job, std::int64_t now_ns) {
  if (now_ns < job.rests_until_ns) return job.rests_until_ns;
  return now_ns + rest_after_s(job.failed_in_a_row + 1) * 1'000'000'000;
}

inline bool rests(const job_state& job, std::int64_t now_ns) { return now_ns < job.rests_until_ns; }

inline void take_rest(job_state& job, std::int64_t until_ns) {
  if (until_ns > job.rests_until_ns) ++job.failed_in_a_row;
  job.rests_until_ns = until_ns;
}

// "; not tried again before 11/29/2026 03:00:08": the second in which it may be, as other times are shown. Empty for 0.
inline std::string words_of_rest(std::int64_t until_ns) {
  if (until_ns == 0) return {};
  return "; not tried again before " + values::print_log_date(until_ns / 1'000'000'000);
}

}  // namespace annals::model
