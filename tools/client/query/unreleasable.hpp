// Vnodes that pbs_release_nodes does not release: those of Cray X* series machines and of cpuset hosts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/client/session.hpp"

namespace annals::client {

// What PBS says about the first of those that are to go and can't; nothing: there is none, as far as this user may see. A name may be that
// of a vnode or of a host; without names the job's vnodes are meant, but for those of its first host.
std::optional<std::string> why_unreleasable(session& server, const std::string& job_id, const std::vector<std::string>& names);

}  // namespace annals::client
