// Vnodes that a running job can't give back: those of Cray X* series machines and of cpuset hosts (RD-23, RD-24).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace annals::attributes {

// Why a vnode with these resources_available is one of them, as PBS says it (RD-55, RD-56). Nothing: it is not.
std::optional<std::string> why_unreleasable(std::string_view vnode, std::string_view vntype, std::string_view arch);
// Those of some hosts, and why.
using unreleasable_vnodes = std::map<std::string, std::string, std::less<>>;

}  // namespace annals::attributes
