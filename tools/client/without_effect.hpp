// Options that are taken because PBS has them, and of which nothing follows here. Their meaning in the table of options begins with
// "no effect: ". Who gives one is told so by name.
#pragma once

#include <string>
#include <vector>

#include "tools/client/options.hpp"

namespace annals::client {

// "pbs_sched: option -a has no effect: it is obsolete": one line, without newline, for each that was given.
std::vector<std::string> options_without_effect(const command& c, const command_line& line);
// The same on stderr.
void warn_of_options_without_effect(const command& c, const command_line& line);

}  // namespace annals::client
