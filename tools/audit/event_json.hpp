// Records as JSON, one object each, by reflection: the names are those of the schema. Byte strings are hexadecimal, times
// whole nanoseconds since 1970 (`wallNs`) beside readable ones (`time`, UTC).
#pragma once

#include <string>

#include "events/log/record.hpp"

namespace annals::audit {

// On one line, without a line end. `name`: of the stream's object ("12.borg"), left out when empty.
std::string json_line(const log::record& record, const std::string& name);
std::string json_text(std::string_view text);  // quoted and escaped

}  // namespace annals::audit
