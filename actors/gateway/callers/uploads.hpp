// Takes large scripts in pieces (putBlob) and says who uploaded what (upload_book.hpp). Runs detached: it writes to the disk.
// Governed by docs/design/0002-event-log.md, "Blobs".
#pragma once

#include <caf/event_based_actor.hpp>

#include <string>

#include "actors/server/messages.hpp"
#include "events/ports/blob_store.hpp"

namespace annals::actors {

// Messages: upload_piece, claim_upload, client_gone. The last piece is answered when the blob is synced and its hash is the
// claimed one; from then on the client may claim it, until it is gone or has sent many others.
caf::behavior uploads(caf::event_based_actor* self, ports::blob_store* store, std::string directory);

}  // namespace annals::actors
