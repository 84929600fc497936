// `pbs_audit hosts`: which hosts spoil starts of jobs, or fail later, and how often.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "events/ports/event_store.hpp"

namespace annals::audit {

struct hosts_wanted {
  std::uint64_t from = 1, to = 0;  // sequences
  bool all = false;                // also hosts that never failed
  bool json = false;
};

// Each start and each failure counts where it stands in the log: a failure in from..to counts also when its start is before it.
// Reads as long as go_on says so. False: something could not be read; print was told where.
bool tell_hosts(const ports::event_store& store, const hosts_wanted& wanted, const std::function<bool(const std::string&)>& print,
                const std::function<bool()>& go_on);

}  // namespace annals::audit
