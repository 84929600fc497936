// Takes large scripts in pieces (putBlob) and puts them into the store. Runs detached: it writes to the disk.
#pragma once

#include <caf/event_based_actor.hpp>

#include <string>

#include "actors/server/messages.hpp"
#include "events/ports/event_store.hpp"

namespace annals::actors {

// Messages: query with a putBlob request. The last piece is answered when the blob is synced and its hash is the claimed one.
caf::behavior uploads(caf::event_based_actor* self, ports::event_store* store, std::string directory);

}  // namespace annals::actors
