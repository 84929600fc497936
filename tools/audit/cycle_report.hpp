// `pbs_audit cycle`: one scheduling cycle from the log: what began it, what it started where, which proposals were refused, and what it
// newly said of the jobs that wait.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "events/ports/event_store.hpp"

namespace annals::audit {

struct cycle_wanted {
  std::string scheduler = "default";
  std::uint64_t number = 0;  // of that scheduler's cycles, as CycleBegan says it
  bool json = false;
};
struct cycle_told {
  bool found = false;
  bool sound = true;
};

// Reads the log up to the cycle's end, as long as go_on says so. As JSON it is one object on one line.
cycle_told tell_cycle(const ports::event_store& store, const cycle_wanted& wanted, const std::function<bool(const std::string&)>& print,
                      const std::function<bool()>& go_on);

}  // namespace annals::audit
