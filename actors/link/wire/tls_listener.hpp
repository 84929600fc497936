// The listener at a TCP port: where links of MoMs, schedulers and login hosts come from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "actors/link/wire/accepting.hpp"
#include "actors/link/wire/room.hpp"
#include "actors/link/wire/tls.hpp"
#include "actors/link/wire/wire.hpp"

namespace annals::wire {

std::unique_ptr<listener> make_tls_listener(std::shared_ptr<worker> w, next_worker next, const rooms& r, const std::string& address,
                                            std::uint16_t port, std::shared_ptr<tls_context> context, handler h);

}  // namespace annals::wire
