// A log with its blobs and a cache, in one place: what one directory of a machine holds. Three implementations exist in
// events/log: memory, RocksDB, and a wrapper that injects faults. One test suite (test/unit/events/log/event_store_suite.hpp)
// runs over all. Who needs only a part of it asks for that part.
#pragma once

#include "events/ports/blob_store.hpp"
#include "events/ports/local_cache.hpp"
#include "events/ports/record_log.hpp"

namespace annals::ports {

class event_store : public record_log, public blob_store, public local_cache {};

// The same three, each of which may stand elsewhere. All outlive who is given them.
struct storage {
  record_log* log = nullptr;
  blob_store* blobs = nullptr;
  local_cache* cache = nullptr;
  storage() = default;
  storage(event_store* all) : log(all), blobs(all), cache(all) {}
  storage(event_store& all) : storage(&all) {}
};

}  // namespace annals::ports
