// How long a running job with a soft walltime is taken to run: for that time, and whenever it has run so long, for as much again, at most
// for its walltime (pbs guide: soft_walltime). Governed by docs/design/0045-calendar.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace annals::values {

// `soft` and `elapsed` in seconds; `soft` is 1 or more.
inline std::int64_t soft_walltime_after(std::int64_t elapsed, std::int64_t soft, std::optional<std::int64_t> walltime) {
  const auto times = std::max<std::int64_t>(elapsed, 0) / soft + 1;
  std::int64_t seconds;
  if (__builtin_mul_overflow(times, soft, &seconds)) seconds = INT64_MAX;
  return std::min(seconds, walltime.value_or(INT64_MAX));
}

}  // namespace annals::values
