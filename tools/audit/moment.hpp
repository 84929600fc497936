// A moment of a log as people name it: a sequence ("42", "#42"), a time of day, a date and time, or how long ago.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "events/ports/event_store.hpp"

namespace annals::audit {

constexpr std::int64_t ns_per_s = 1'000'000'000;

struct moment {
  std::uint64_t sequence = 0;  // when not 0, this; else the time
  std::int64_t wall_ns = 0;
};

// "42", "#42" (a bare number of ten digits is seconds since 1970, as for qstat --at); "2026-11-21", "2026-11-21 08:00", "2026-11-21
// 08:00:01.123" ('T' for the blank too); "08:00", "08:00:01" of the day of now_ns; "90s", "10m", "2h", "3d" (also with a '-'): so long
// before now_ns. Local time. A date alone is its first moment. Nothing: none of these.
std::optional<moment> parse_moment(std::string_view text, std::int64_t now_ns);

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
