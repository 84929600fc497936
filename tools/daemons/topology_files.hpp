// server_priv/topology: a file for each host with the number of its processor sockets, which pbs_topologyinfo reads (pbs guide: topology).
// What the host's MoM has said last; the server does not read it.
#pragma once

#include <optional>
#include <string>

namespace annals::daemons {

// Nothing: no file, since the MoM does not say. Returns why that failed; empty: it did not.
std::string keep_sockets(const std::string& directory, const std::string& host, std::optional<unsigned> sockets);

}  // namespace annals::daemons
