// JSON as hooks write it into a job's resources_used (RU-11 to RU-15), before a JSON library reads it.
#pragma once

#include <string>
#include <string_view>

namespace annals::values {

// Whether objects and lists stand in each other deeper than this: libraries print as deep as they have read.
bool nests_deeper(std::string_view text, int levels);
// A table of hosts has None for one that said nothing; null in JSON. What stands in a string stays.
std::string with_null_for_none(std::string_view text);

}  // namespace annals::values
