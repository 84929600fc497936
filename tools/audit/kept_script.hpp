// The script of a job as a server's log keeps it.
#pragma once

#include <optional>
#include <string>

#include "events/ports/event_store.hpp"

namespace annals::audit {

struct kept_script {
  bool known = false;               // the log has the job
  std::optional<std::string> text;  // nothing: `why` says so
  std::string why;                  // "has no script"
};

// full_id: "12.borg", "12[].borg"; of a subjob, its array's. Reads the log up to the submission.
kept_script script_of(const ports::event_store& store, const std::string& full_id);

}  // namespace annals::audit
