// What a scheduler is told of itself: the attributes of its object that it must act on.
#pragma once

#include <cstdint>
#include <string>

#include "events/schema/common.capnp.h"

namespace annals::actors {

struct own_object {
  std::string priv, logs, partition;  // empty: not set
  std::uint16_t port = 0;             // 0: not set
  bool scheduling = false;
};
own_object read_own_object(capnp::List<schema::Attribute>::Reader attributes);

}  // namespace annals::actors
