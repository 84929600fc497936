// `pbs_audit startup`: how each start of a job went, host by host.
#pragma once

#include <functional>
#include <string>

#include "events/ports/event_store.hpp"
#include "events/values/job_id.hpp"

namespace annals::audit {

struct startup_end {
  std::size_t jobs = 0;  // of this id; ids repeat when numbers begin anew
  bool sound = true;     // false: something of the log could not be read; print was told where
};

// Reads the whole log once, as long as go_on says so. As JSON each job is one object on one line.
startup_end tell_startup(const ports::event_store& store, const values::job_id& job, bool json,
                         const std::function<bool(const std::string&)>& print, const std::function<bool()>& go_on);

}  // namespace annals::audit
