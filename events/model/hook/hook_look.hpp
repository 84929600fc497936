// What the server's hooks look on at: events that have happened, which no hook can refuse (postqueuejob, jobobit, modifyvnode,
// resv_confirm, resv_begin, resv_end).
// Source: pbs guide, "hooks"; governed by docs/design/0023-hooks.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/schema/event.hpp"

namespace annals::model {

struct look {
  enum class kind : std::uint8_t { job,
                                   vnodes,
                                   reservation };
  const char* event;  // of hooks: "jobobit"
  kind of;
  std::string vnode{};          // empty: every one of the host
  bool confirmed_only = false;  // of a reservation that never had a place there is nothing to see
};
// Nothing: no hook looks on at this event.
std::optional<look> look_at(schema::Event::Reader event);

}  // namespace annals::model
