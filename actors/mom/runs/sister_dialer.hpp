// The link that a MoM opens to the MoM of another host, as its actor sees it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "actors/link/wire/wire.hpp"
#include "actors/runtime/message_type.hpp"
#include "events/schema/message.hpp"

namespace annals::actors {

// Keeps a link to the MoM of another host until it is destroyed; what happens on it comes as sister_opened, sister_frame and
// sister_closed to the MoM's actor.
class sister_dialer {
 public:
  virtual ~sister_dialer() = default;
};
using dial_sister = std::function<std::unique_ptr<sister_dialer>(const std::string& host, const std::string& address, std::uint16_t port)>;
struct sister_opened {
  std::string host;
  wire::connection_ptr peer;
};
struct sister_frame {
  std::string host;
  wire::connection_ptr peer;
  schema::sealed_message message;
};
struct sister_closed {
  std::string host;
  wire::connection_ptr peer;
  std::string why;
};

}  // namespace annals::actors

#define ANNALS_SISTER_DIALER_MESSAGES(MESSAGE) \
  MESSAGE(annals::actors::sister_opened)       \
  MESSAGE(annals::actors::sister_frame)        \
  MESSAGE(annals::actors::sister_closed)
ANNALS_SISTER_DIALER_MESSAGES(ANNALS_MESSAGE)  // compiled in compiled_messages.cpp
