// Times of a report: those of the tables, in UTC, and days and months as people have them, in local time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::reporting {

// Reads "2026-11-30T06:47:29.123456Z", as exports::print_moment writes it, as nanoseconds since 1970. Nullopt: it is no such text.
std::optional<std::int64_t> parse_moment_text(std::string_view text);

std::string local_day(std::int64_t ns);     // "2026-11-30"
std::string local_month(std::int64_t ns);   // "2026-11"
std::string local_second(std::int64_t ns);  // "2026-11-30 06:47:29"

}  // namespace annals::reporting
