// What a worker takes away from itself before it runs a script, for good. docs/design/0019-hook-workers.md has the
// table of what is kept by which means, with and without root.
#pragma once

#include <string>

#include "hooks-runtime/protocol/hook.capnp.h"
#include "hooks-runtime/worker/scratch.hpp"

namespace annals::hooks {

// Empty: it is on. Otherwise what was needed and could not be had; the script must not run then.
std::string put_on_sandbox(protocol::Bind::Reader bind, const scratch_directory& scratch, int to_guard);

}  // namespace annals::hooks
