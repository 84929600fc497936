// The newest runs that have left this host, so that what comes late for one of them is not taken for something new.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <utility>

#include "events/model/limits.hpp"

namespace annals::actors {

class left_runs {
 public:
  void remember(std::uint64_t serial, std::uint32_t run) {
    if (!known_.emplace(serial, run).second) return;
    order_.emplace_back(serial, run);
    if (order_.size() <= limits::left_runs_max) return;
    known_.erase(order_.front());
    order_.pop_front();
  }
  bool has(std::uint64_t serial, std::uint32_t run) const { return known_.contains({serial, run}); }

 private:
  std::set<std::pair<std::uint64_t, std::uint32_t>> known_;
  std::deque<std::pair<std::uint64_t, std::uint32_t>> order_;
};

}  // namespace annals::actors
