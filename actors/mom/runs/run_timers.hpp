// The times at which timers of a run ring. Its rules say how long the state waits (model::wake); here it is said how long this host waits
// for others, and that a host which this life of the MoM had no time to reach or to ask is not given up yet.
#pragma once

#include <cstdint>

#include "actors/mom/mom_messages.hpp"
#include "events/model/run/run.hpp"

namespace annals::actors {

/// As its settings say, and the alarms of its hooks.
model::run_waits waits_here(const mom_parts& parts, const model::run_state& run);

class run_timers {
 public:
  /// born_ns: when this life of the process began, of a run that it found in the log; 0: it did not.
  explicit run_timers(std::int64_t born_ns) : born_ns_(born_ns) {}
  /// Sisters are asked to join; the first time in this life counts.
  void asking(std::int64_t now_ns) {
    if (asking_since_ns_ == 0) asking_since_ns_ = now_ns;
  }
  /// Nanoseconds since 1970.
  std::int64_t rings_at(const model::wake& timer) const;

 private:
  std::int64_t born_ns_;
  std::int64_t asking_since_ns_ = 0;  // 0: none was asked
};

}  // namespace annals::actors
