#include "actors/scheduler/cycle/shrink.hpp"

#include <algorithm>

namespace annals::cycle {

std::optional<std::int64_t> longest_that_fits(values::walltime_range range, moment now, const std::vector<moment>& starts,
                                              const std::function<bool(std::int64_t)>& fits) {
  if (fits(range.longest)) return range.longest;
  // A shorter run may be as long as until the next of the moments. The first `fitting` of them are known to be good.
  auto fitting = std::lower_bound(starts.begin(), starts.end(), now + range.shortest);
  const auto begin = fitting;
  auto end = std::lower_bound(fitting, starts.end(), now + range.longest);
  while (fitting != end) {
    const auto middle = fitting + (end - fitting) / 2;
    if (fits(*middle - now)) fitting = middle + 1;
    else end = middle;
  }
  return fitting == begin ? std::nullopt : std::optional(*(fitting - 1) - now);
}

}  // namespace annals::cycle
