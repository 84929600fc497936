// How long a shrink-to-fit job runs that is started now (pbs guide: shrink-to-fit jobs). Pure. Governed by
// docs/design/0051-shrink-to-fit.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "actors/scheduler/cycle/moment.hpp"
#include "events/values/walltime_range.hpp"

namespace annals::cycle {

// The longest time of the range for which a place that begins now `fits`. `starts`, rising: when something begins that may be in the way;
// between two of them the answer stays the same. A place that fits for some time fits for any shorter one. Nothing: not even the shortest
// fits.
std::optional<std::int64_t> longest_that_fits(values::walltime_range range, moment now, const std::vector<moment>& starts,
                                              const std::function<bool(std::int64_t)>& fits);

}  // namespace annals::cycle
