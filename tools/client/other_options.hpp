// Options of other batch systems (Torque) that tools still send: which option of PBS does the same.
#pragma once

#include <string>
#include <string_view>

namespace annals::client {

// Empty: no other system that we know of has this option of the command. Else what stands behind the error: ": an array of jobs is -J
// 1-10".
std::string in_pbs(std::string_view command, char letter);

}  // namespace annals::client
