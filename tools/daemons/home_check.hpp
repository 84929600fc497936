// A daemon works in the home it was given and makes none: a mistyped path, or a file system that is not mounted, would begin
// a new cluster in silence.
#pragma once

#include <string>
#include <vector>

#include "tools/client/pbs_conf.hpp"

namespace annals::daemons {

// Throws std::runtime_error unless PBS_CONF_FILE, if it is set, could be read, and `home` has this part of PBS_HOME
// ("server_priv"). how_to_make: the command that makes one.
void check_home(const client::pbs_conf& conf, const std::string& home, const std::string& part, const std::string& how_to_make);
void check_conf(const client::pbs_conf& conf);

// Why others than root and this process's user could change what stands at one of these paths; empty: they can't. A path with nothing there
// is nobody's. Looked at is each path alone, with what links lead to: whoever could put another file there can change the directory
// that it is in. docs/design/0067-what-root-executes.md.
std::string why_open_to_others(const std::vector<std::string>& paths);

}  // namespace annals::daemons
