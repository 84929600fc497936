// `pbs_mom -s`: lists, shows, inserts, replaces and removes the vnode definition files of this host. Source: pbs guide, pbs_mom.
#pragma once

#include <optional>

namespace annals::daemons {

// Its exit status; nothing: the MoM itself is wanted.
std::optional<int> definition_command(int argc, char** argv);

}  // namespace annals::daemons
