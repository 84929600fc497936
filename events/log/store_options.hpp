// How much memory the event store takes, and what tests do to its disk.
#pragma once

#include <cstddef>
#include <memory>

namespace annals::log {

// Faults of the disk for tests, and a count of what is written; shared by store and test.
struct disk_hooks;

struct store_options {
  // Kept at what a small server needs; a replay reads past them.
  std::size_t memtable_bytes = 8u << 20;
  std::size_t block_cache_bytes = 16u << 20;
  std::shared_ptr<disk_hooks> hooks;  // none in production
};

}  // namespace annals::log
