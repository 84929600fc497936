// Tables for spreadsheets and scripts (RFC 4180): fields with commas, quotes or blanks at an end stand in quotes. Lines end with a
// newline alone, and control characters are shown as \xNN, so that each row is one line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace annals::audit {

std::string csv_line(const std::vector<std::string>& fields);
std::string csv_time(std::int64_t wall_ns);  // "2026-11-21T08:00:01.123Z"

}  // namespace annals::audit
