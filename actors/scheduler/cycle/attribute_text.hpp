// How texts of attributes of server, scheduler, queues and vnodes are read.
#pragma once

#include <string_view>

#include "events/values/number.hpp"

namespace annals::cycle {

inline bool is_true(std::string_view value) { return values::parse_boolean(value).value_or(false); }

}  // namespace annals::cycle
