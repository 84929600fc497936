// How accounting records are written: what they begin with, and single fields. Source: pbs guide, "accounting".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace annals::projections {

// "MM/DD/YYYY HH:MM:SS;T;id;"
std::string begun_line(std::int64_t wall_s, char letter, std::string_view id);

// Appends "name.resource=value ", the value between two of `quote`. A record is one line, whatever users wrote: control characters are
// shown as a question mark.
void put_in(std::string& line, std::string_view name, std::string_view resource, std::string_view value, std::string_view quote = "");
// Values with a blank stand in quotes; a quote inside is left as it is, as PBS does.
void put(std::string& line, std::string_view name, std::string_view resource, std::string_view value, bool quoted = false);
void put(std::string& line, std::string_view name, std::string_view value);

}  // namespace annals::projections
