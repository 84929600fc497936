// How long a shrink-to-fit job may run: from min_walltime to max_walltime; without that to the walltime it asks for, else for five years
// (pbs guide: shrink-to-fit jobs). Governed by docs/design/0051-shrink-to-fit.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace annals::values {

// Of a job that says no walltime, or a longer one: five years, as PBS takes it.
constexpr std::int64_t endless_seconds = std::int64_t{5} * 365 * 24 * 3600;

struct walltime_range {
  std::int64_t shortest = 0, longest = 0;  // seconds, both included; shortest is 1 or more
  bool contains(std::int64_t seconds) const { return shortest <= seconds && seconds <= longest; }
  bool operator==(const walltime_range&) const = default;
};

// Nothing: without min_walltime it is no shrink-to-fit job.
inline std::optional<walltime_range> walltime_range_of(std::optional<std::int64_t> min, std::optional<std::int64_t> max,
                                                       std::optional<std::int64_t> walltime) {
  if (!min) return std::nullopt;
  const auto shortest = std::max<std::int64_t>(*min, 1);
  const auto longest = std::min(max.value_or(walltime.value_or(endless_seconds)), endless_seconds);
  return walltime_range{shortest, std::max(shortest, longest)};
}

}  // namespace annals::values
