// What qsub -X has to know of the user's X display before the job is submitted.
#pragma once

#include <string>
#include <variant>

#include "tools/terminal/display_name.hpp"

namespace annals::terminal {

struct x_forwarding {
  display_name display;
  std::string made_cookie;  // for the session; the job has it
  std::string real_cookie;  // the display's; empty: it has none
};

// Of the value of DISPLAY; or what is wrong, a line.
std::variant<x_forwarding, std::string> find_display(const std::string& value);

}  // namespace annals::terminal
