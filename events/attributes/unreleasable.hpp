// Vnodes that a running job can't give back: those of Cray X* series machines and of cpuset hosts (RD-23, RD-24).
#pragma once

#include <cstdint>
#include <string_view>

namespace annals::attributes {

enum class unreleasable : std::uint8_t { no,
                                         cray,
                                         cpuset };
// Of a vnode with these resources_available.
unreleasable why_unreleasable(std::string_view vntype, std::string_view arch);

}  // namespace annals::attributes
