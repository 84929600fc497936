// Why a connection has ended that this daemon itself has closed because it stops. Its owner is told so.
#pragma once

#include <string_view>

namespace annals::wire {

inline constexpr std::string_view own_stop = "shutting down";

}  // namespace annals::wire
