// The listener at a Unix socket: where links of commands come from.
#pragma once

#include <memory>
#include <string>

#include "actors/link/wire/accepting.hpp"
#include "actors/link/wire/room.hpp"
#include "actors/link/wire/wire.hpp"

namespace annals::wire {

std::unique_ptr<listener> make_unix_listener(std::shared_ptr<worker> w, next_worker next, const rooms& r, const std::string& path,
                                             unsigned mode, handler h);

}  // namespace annals::wire
