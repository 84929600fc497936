// Which part of a log a moment (events/values/moment.hpp) means.
#pragma once

#include <cstdint>
#include <string>

#include "events/ports/event_store.hpp"
#include "events/values/moment.hpp"

namespace annals::audit {

constexpr std::int64_t ns_per_s = 1'000'000'000;

using values::moment;
using values::parse_moment;

// The first sequence of those that are not before the moment, and the last one that is not after it; last_sequence() + 1 and 0
// when there is none. Of a moment that there is twice, since the clock went back, the later one counts (events/log/clock_step.hpp).
std::uint64_t first_since(const ports::event_store& store, const moment& m);
std::uint64_t last_until(const ports::event_store& store, const moment& m);

struct sequence_range {
  std::uint64_t from = 1, to = 0;
  std::string wrong;  // of the two texts: no moment
};
// What --since and --until say; empty: the beginning and the end of the log.
sequence_range read_range(const ports::event_store& store, const std::string& since, const std::string& until, std::int64_t now_ns);

}  // namespace annals::audit
