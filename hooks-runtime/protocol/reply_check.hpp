// Whether what a worker sent can be a reply, a question or the answer to a Bind. The bytes are well-formed by then;
// this looks at what a schema can't say: words that are none of the known ones, sizes, a verdict that is not the
// worker's to give. Every field is read once, so that who reads it later finds what the schema says.
#pragma once

#include "hooks-runtime/protocol/hook.capnp.h"

namespace annals::hooks {

bool is_sound(protocol::FromWorker::Reader message);

}  // namespace annals::hooks
