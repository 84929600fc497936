// Job scripts as blobs on their way from a submission into the log.
#pragma once

#include <string>
#include <vector>

#include "events/model/outcome.hpp"
#include "events/ports/event_store.hpp"
#include "events/schema/client.capnp.h"

namespace annals::actors {

struct script_blob {
  std::string hash;  // empty: the job has no script
  std::uint64_t size = 0;
  std::vector<ports::blob> blobs;     // to be written with the event
  std::vector<std::string> uploaded;  // went ahead in pieces, as the request says: uploads.hpp knows whether it did
  model::rejection refusal;           // set when the script can't be taken
};
script_blob script_blob_of(schema::QueueJob::Reader q);

}  // namespace annals::actors
