// Work that an actor's helper wants done in the actor: what comes back from other threads goes through this.
#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

#include <functional>

namespace annals::actors {

struct run_this {
  std::function<void()> work;
};

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::run_this)
