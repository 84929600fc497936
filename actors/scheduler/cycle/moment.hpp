// The time that a cycle decides for. The cycle reads no clock: who runs it says when it is.
#pragma once

#include <cstdint>

namespace annals::cycle {

using moment = std::int64_t;  // seconds since 1970

}  // namespace annals::cycle
