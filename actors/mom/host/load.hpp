// Whether a host has too much to do for more jobs (pbs guide: $ideal_load, $max_load; vnode state busy).
#pragma once

#include <optional>

namespace annals::mom {

// Loads as uptime(1) shows them. Without `max` a host is never busy; without `ideal` it is no longer busy at `max`.
struct load_limits {
  std::optional<double> ideal, max;
  bool suspends = false;  // while it is busy its jobs are suspended
  bool operator==(const load_limits&) const = default;
};

// Above `max` it is busy, and stays so until the load is below `ideal`.
bool is_busy(const load_limits& limits, double load, bool was_busy);

}  // namespace annals::mom
