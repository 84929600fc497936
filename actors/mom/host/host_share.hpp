// What a run may take of this host: the chunks of its exec_vnode that are here. Pure. Source: pbs guide, "exec_vnode, exec_host".
#pragma once

#include <functional>
#include <string>

#include "events/ports/process_host.hpp"

namespace annals::mom {

// Memory is limited only if every chunk here asks for some: one that does not may take what it needs.
ports::host_share share_of_host(const std::string& exec_vnode, const std::string& exec_host,
                                const std::function<bool(const std::string& host)>& is_here);

}  // namespace annals::mom
