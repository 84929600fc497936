// `pbs_audit job`: everything a log says about one job, in order: its own events, what the scheduler said of it, and in a
// MoM's log its runs. The story of a subjob begins with who submitted its array.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "events/ports/event_store.hpp"
#include "events/values/job_id.hpp"

namespace annals::audit {

struct story_end {
  std::uint64_t told = 0;  // lines; 0: the log knows no such job
  bool sound = true;       // false: something of the log could not be read; print was told where
};

// Reads the whole log once, because the scheduler's reasons stand among those for other jobs. print answers whether to go on.
story_end tell_story(const ports::event_store& store, const values::job_id& job, bool json,
                     const std::function<bool(const std::string&)>& print);

}  // namespace annals::audit
