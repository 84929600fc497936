// Who takes how many processor sockets a host has, as its MoM says at each hello.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace annals::actors {

// Nothing: the MoM does not say.
using sockets_keeper = std::function<void(const std::string& host, std::optional<unsigned> sockets)>;

}  // namespace annals::actors
