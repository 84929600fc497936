// Waits that are read off the log: since when, and until when. docs/design/0061-clocks.md.
#pragma once

#include <cstdint>

#include "events/model/limits.hpp"

namespace annals::model {

// The clock was ahead when the wait began, and has gone back since: its end means nothing. 0: it is no wait.
constexpr bool began_while_ahead(std::int64_t since_ns, std::int64_t now_ns) {
  return since_ns > 0 && now_ns < since_ns - limits::clock_held_ns;
}

// Whoever waits has waited for as long as it was to last, so that a wait that began while the clock was ahead is over when it says so.
constexpr bool is_over(std::int64_t since_ns, std::int64_t until_ns, std::int64_t now_ns) {
  return now_ns >= until_ns || began_while_ahead(since_ns, now_ns);
}

}  // namespace annals::model
