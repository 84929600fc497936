#include "actors/mom/host/load.hpp"

#include <algorithm>

namespace annals::mom {

bool is_busy(const load_limits& limits, double load, bool was_busy) {
  if (!limits.max) return false;
  if (load > *limits.max) return true;
  return was_busy && limits.ideal && load >= std::min(*limits.ideal, *limits.max);
}

}  // namespace annals::mom
