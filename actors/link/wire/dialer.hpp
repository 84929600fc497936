// The dialer: where links to others come from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "actors/link/wire/tls.hpp"
#include "actors/link/wire/wire.hpp"
#include "actors/link/wire/worker.hpp"

namespace annals::wire {

struct dial_target {
  std::string host;
  std::uint16_t port;
  identity::kind kind;
  std::string name;  // empty: any of this kind
};
std::unique_ptr<io_pool::dialer> make_tls_dialer(std::shared_ptr<worker> w, dial_target target, std::shared_ptr<tls_context> context,
                                                 handler h);

}  // namespace annals::wire
