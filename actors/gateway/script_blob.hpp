// Job scripts as blobs: from a submission into the log, and in pieces to a MoM.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/link/wire/wire.hpp"
#include "events/model/outcome.hpp"
#include "events/ports/event_store.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/daemon.capnp.h"

namespace annals::actors {

struct script_blob {
  std::string hash;                        // empty: the job has no script
  std::uint64_t size = 0;
  std::vector<ports::blob> blobs;          // to be written with the event
  std::vector<std::string> uploaded;       // went ahead in pieces
  model::rejection refusal;                // set when the script can't be taken
};
script_blob script_blob_of(schema::QueueJob::Reader q);

// Sends the blob in frames of at most limits::blob_piece_bytes; nothing: says that it is missing.
void send_blob_pieces(wire::connection& to, const std::string& hash, const std::optional<std::vector<std::byte>>& bytes);

}  // namespace annals::actors
