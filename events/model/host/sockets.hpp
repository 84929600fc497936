// How a MoM tells how many processor sockets its host has: beside the attributes of its natural vnode, under a name that none of them has.
// The server's rules do not hear of it.
#pragma once

#include <charconv>
#include <optional>

#include "events/schema/common.capnp.h"
#include "events/schema/message.hpp"

namespace annals::model {

constexpr const char* sockets_report = "sockets";

inline std::optional<unsigned> said_sockets(schema::Attribute::Reader reported) {
  const auto value = schema::text(reported.getValue());
  unsigned count = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), count);
  if (schema::text(reported.getName()) != sockets_report || read.ec != std::errc() || read.ptr != value.data() + value.size()) return {};
  return count;
}

}  // namespace annals::model
