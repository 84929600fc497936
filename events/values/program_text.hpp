// The text of a program's key, "12.borg.1-2", as far as one can tell its parts apart without reading it (program_key.hpp).
//
// This file is compiled into the shepherd as well: standard library only, and as little of it as possible.
#pragma once

#include <string_view>

namespace annals::values {

// "12.borg.1" of "12.borg.1-2" and of itself: the run's. The name of a server may have a '-', what follows the last dot is ours.
inline std::string_view run_text_of(std::string_view program) {
  const auto dash = program.rfind('-'), dot = program.rfind('.');
  return dash != std::string_view::npos && dot != std::string_view::npos && dash > dot ? program.substr(0, dash) : program;
}

}  // namespace annals::values
