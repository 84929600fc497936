// What an event keeps of a hook's run: the messages to and from its worker.
#pragma once

#include <optional>
#include <string>

#include "events/schema/common.capnp.h"
#include "events/schema/message.hpp"
#include "hooks-runtime/protocol/hook.capnp.h"

namespace annals::hooks {

// Both as schema::packed() made them. An empty request: it is not kept.
void record(const std::string& packed_request, const std::string& packed_reply, schema::HookRun::Builder run);
// Nothing: it was not kept, or can't be read.
std::optional<schema::sealed<protocol::Request>> request_of(schema::HookRun::Reader run);
std::optional<schema::sealed<protocol::Reply>> reply_of(schema::HookRun::Reader run);

}  // namespace annals::hooks
