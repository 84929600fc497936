// A moment as people name it, to every command that asks for one: --at, --since, --until.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace annals::values {

struct moment {
  std::uint64_t sequence = 0;  // of the event log; when not 0, this; else the time
  std::int64_t wall_ns = 0;    // since 1970
};

// moment_forms, in local time; a sequence of nine digits at most needs no '#', and a 'T' may stand for the blank. A day alone is its first
// moment; a time alone is of the day of now_ns. Nothing: none of these.
std::optional<moment> parse_moment(std::string_view text, std::int64_t now_ns);

inline constexpr const char moment_forms[] =
    "\"YYYY-MM-DD [HH:MM[:SS]]\", HH:MM[:SS], now, \"today|yesterday [HH:MM[:SS]]\", 90s 10m 2h 7d 1w ago, seconds since 1970, or "
    "#sequence";

// Names the forms of times alone.
inline constexpr const char time_forms[] =
    "\"YYYY-MM-DD [HH:MM[:SS]]\", HH:MM[:SS], now, \"today|yesterday [HH:MM[:SS]]\", 90s 10m 2h 7d 1w ago, or seconds since 1970";

}  // namespace annals::values
