// Columns of the tables that the commands print. Everything appends to one buffer; nothing allocates per field, but for one with control
// characters, which are shown (shown.hpp). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace annals::client {

// Left-aligned in `width` columns; what is longer is cut and its last column shows '*'.
void put_left(std::string& out, std::string_view text, std::size_t width);
// Right-aligned in `width` columns; what is longer is cut.
void put_right(std::string& out, std::string_view text, std::size_t width);
// As put_right for a number, which is never cut.
void put_right(std::string& out, std::int64_t number, std::size_t width);

// "01:02:03" without its seconds: "01:02".
std::string_view without_seconds(std::string_view duration);
// Seconds of "01:02:03", "02:03" or "3"; -1: no such text.
std::int64_t seconds_of(std::string_view duration);

}  // namespace annals::client
