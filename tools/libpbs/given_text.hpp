// Texts that a caller of the library gave.
#pragma once

#include <string>

namespace annals::ifl {

inline std::string text_of(const char* given) { return given ? given : ""; }

}  // namespace annals::ifl
