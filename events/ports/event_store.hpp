// The port to durable storage of records, and what its implementations promise. Three exist in events/log: memory,
// RocksDB, and a wrapper that injects faults. One test suite (test/unit/events/log/event_store_suite.hpp) runs over all.
//
// A store keeps encoded records (events/log/record.hpp) by global sequence, finds them by (stream, version), and keeps
// content-addressed blobs. It does not know what a record means. One thread writes; any thread reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace annals::ports {

using byte_span = std::span<const std::byte>;

// One record to be written. `bytes` is what record.hpp made: checksum, chain hash and Cap'n Proto record.
struct stored_record {
  std::uint64_t sequence = 0;
  std::uint64_t stream = 0;
  std::uint64_t stream_version = 0;
  std::vector<std::byte> bytes;
};

struct blob {
  std::string hash;                 // SHA-256, 32 raw bytes
  std::vector<std::byte> bytes;
};

// Why a store could not do what was asked.
enum class store_error {
  none,
  disk_full,       // nothing of the batch is kept; writing may succeed later; reading still works
  sync_failed,     // unknown what is kept: the process must stop and recover from what is on disk
  io,              // reading or writing failed otherwise
  damaged,         // a record can't be what was written
  locked,          // another process has the store open
};

struct store_status {
  store_error error = store_error::none;
  std::string text;                 // for the administrator: what failed, where, and what to run
  explicit operator bool() const { return error == store_error::none; }
};

class event_store {
 public:
  virtual ~event_store() = default;

  // All of the batch, synced to disk when `ok` comes back; or nothing of it (see store_error).
  virtual store_status append(std::span<const stored_record> records, std::span<const blob> blobs) = 0;

  // Sequence of the last record, 0 for an empty store.
  virtual std::uint64_t last_sequence() const = 0;

  // Calls visit(sequence, bytes) for each record from `from` on, in order, until visit says false or none is left.
  using visitor = std::function<bool(std::uint64_t sequence, byte_span bytes)>;
  virtual store_status read(std::uint64_t from, const visitor& visit) const = 0;

  // The same for one stream, in the order of its versions, from version `from_version` on.
  virtual store_status read_stream(std::uint64_t stream, std::uint64_t from_version, const visitor& visit) const = 0;

  virtual std::optional<std::vector<std::byte>> read_blob(std::string_view hash) const = 0;

  // Small named values that are a cache (snapshots): may be lost at any time, written without sync.
  virtual store_status put_cache(std::string_view key, byte_span value) = 0;
  virtual std::optional<std::vector<std::byte>> get_cache(std::string_view key) const = 0;
  // Calls visit for each cache entry whose key begins with prefix.
  virtual void scan_cache(std::string_view prefix, const std::function<bool(std::string_view key, byte_span value)>& visit) const = 0;
  virtual store_status drop_cache(std::string_view prefix) = 0;
};

}  // namespace annals::ports
