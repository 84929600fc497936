// The newest runs that have left this host, so that what comes late for one of them is not taken for something new; of a part
// also what it used here, or why it could not join, for a primary that has not heard it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "events/model/limits.hpp"
#include "events/model/usage.hpp"

namespace annals::actors {

struct left_run {
  std::uint64_t job_serial = 0;
  std::uint32_t run = 0;
  std::string primary;  // of a part; empty: nobody may ask what it used
  model::usage_set usage;
  std::int32_t refusal_code = 0;
  std::string refusal;  // why the host could not join; empty: it could
};

class left_runs {
 public:
  void remember(left_run r) {
    const auto key = std::pair(r.job_serial, r.run);
    if (!known_.emplace(key, std::move(r)).second) return;
    order_.push_back(key);
    if (order_.size() <= limits::left_runs_max) return;
    known_.erase(order_.front());
    order_.pop_front();
  }
  const left_run* find(std::uint64_t serial, std::uint32_t run) const {
    const auto at = known_.find({serial, run});
    return at == known_.end() ? nullptr : &at->second;
  }
  bool has(std::uint64_t serial, std::uint32_t run) const { return find(serial, run) != nullptr; }

 private:
  std::map<std::pair<std::uint64_t, std::uint32_t>, left_run> known_;
  std::deque<std::pair<std::uint64_t, std::uint32_t>> order_;
};

}  // namespace annals::actors
