// `pbs_audit usage`: what a job used on each of its hosts, over time, and how much of what it held.
#pragma once

#include <functional>
#include <string>

#include "events/ports/event_store.hpp"
#include "events/values/job_id.hpp"

namespace annals::audit {

struct usage_end {
  std::size_t jobs = 0;  // of this id; ids repeat when numbers begin anew
  bool sound = true;     // false: something of the log could not be read; print was told where
};

// Reads the whole log once. As JSON each job is one object on one line.
usage_end tell_usage(const ports::event_store& store, const values::job_id& job, bool json,
                     const std::function<bool(const std::string&)>& print);

}  // namespace annals::audit
