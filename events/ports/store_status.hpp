// What the ports to durable storage have in common: bytes, and why something could not be done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace annals::ports {

using byte_span = std::span<const std::byte>;

struct blob {
  std::string hash;  // SHA-256, 32 raw bytes
  std::vector<std::byte> bytes;
};

// Why a store could not do what was asked.
enum class store_error {
  none,
  disk_full,    // nothing of the batch is kept; writing may succeed later; reading still works
  uncertain,    // whether the batch is kept is not known yet: the same batch is to be appended again until it is
  fenced,       // nothing of the batch is kept: another writer has the log; the process must stop
  sync_failed,  // unknown what is kept: the process must stop and recover from what is on disk
  io,           // reading or writing failed otherwise; after a write the process must stop, as for sync_failed
  damaged,      // a record can't be what was written
  locked,       // another process has the store open
};

struct store_status {
  store_error error = store_error::none;
  std::string text;  // for the administrator: what failed, where, and what to run
  explicit operator bool() const { return error == store_error::none; }
};

}  // namespace annals::ports
