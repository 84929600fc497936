// Whether another MoM may have us join a run: the server's signature, then what the ticket says. The only gate through
// which a compute node can make another one do something. docs/design/0020-jobs-across-hosts.md.
#pragma once

#include <functional>
#include <string>

#include "actors/link/wire/wire.hpp"
#include "events/schema/message.hpp"
#include "events/schema/sister.capnp.h"

namespace annals::actors {

// Who signed these bytes for this purpose; throws wire::wire_error. In a daemon: wire::signature_check.
using signature_reader =
    std::function<wire::identity(schema::byte_span bytes, const std::string& signature, const std::string& certificate)>;

struct ticket_gate {
  std::string own_host;
  signature_reader signer_of;
  // Why the request of `peer` (by its certificate) is refused; empty: it is the server's request. Never throws.
  std::string why_not(schema::JoinJob::Reader join, const std::string& peer, std::int64_t now_ns) const;
};

}  // namespace annals::actors
