// What the server's hooks look on at: events that have happened, which no hook can refuse (postqueuejob, jobobit, modifyvnode).
// Source: pbs guide, "hooks"; governed by docs/design/0023-hooks.md.
#pragma once

#include <optional>
#include <string>

#include "events/schema/event.hpp"

namespace annals::model {

struct look {
  const char* event;  // of hooks: "jobobit"
  bool of_job;        // else of vnodes
  std::string vnode;  // empty: every one of the host
};
// Nothing: no hook looks on at this event.
std::optional<look> look_at(schema::Event::Reader event);

}  // namespace annals::model
