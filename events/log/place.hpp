// Where a record stands, as the model's apply wants it.
#pragma once

#include "events/log/record.hpp"
#include "events/model/context.hpp"

namespace annals::log {

inline model::event_place place_of(const record& of) {
  const auto r = of.get();
  return {.sequence = r.getSequence(),
          .stream = r.getStream(),
          .version = r.getStreamVersion(),
          .wall_ns = r.getWallNs(),
          .by = {schema::str(r.getWho().getUser()), schema::str(r.getWho().getHost()), r.getWho().getRole()}};
}

}  // namespace annals::log
