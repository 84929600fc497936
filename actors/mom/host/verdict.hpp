// What a run came to whose shepherd is dead and has not said so: the table of docs/design/0004-shepherd.md. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "actors/mom/host/run_journal.hpp"

namespace annals::mom {

struct circumstances {
  std::string boot;          // of the machine now
  std::uint64_t now_ms = 0;  // CLOCK_BOOTTIME
  std::uint64_t cpu_ms = 0;  // used by the run when it was last seen
  std::string why_not;       // known reason why the program was not begun; may be empty
};

struct verdict {
  std::string line;                      // the last one of the journal
  bool may_have_left_processes = false;  // which must be killed before the line is true
};

verdict verdict_on(const run_journal& journal, const circumstances& now);

}  // namespace annals::mom
