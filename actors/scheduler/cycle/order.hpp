// Queued jobs in the order in which a cycle considers them (pbs guide: order). Fairshare, where it is on, picks from this order
// (fairshare.hpp).
#pragma once

#include <vector>

#include "actors/scheduler/cycle/policy.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

std::vector<index> in_order(const view& v, const timed_settings& now);

}  // namespace annals::cycle
