#include "actors/server/script_reader.hpp"

namespace annals::actors {

caf::behavior script_reader(caf::event_based_actor* self, const log::log_reader* reader) {
  return {[=](const script_wanted& w) { self->send(w.job, script_read{reader->blobs().read_blob(w.hash)}); }};
}

}  // namespace annals::actors
