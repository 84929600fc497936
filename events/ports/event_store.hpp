// The port to durable storage of records, and what its implementations promise. Three exist in events/log: memory,
// RocksDB, and a wrapper that injects faults. One test suite (test/unit/events/log/event_store_suite.hpp) runs over
// all.
//
// A store keeps encoded records (events/log/record.hpp) by global sequence, finds them by (stream, version), and keeps
// content-addressed blobs, memos (small durable values written with the events) and a cache that may be lost. It does
// not know what a record means. One thread writes; any thread reads. What a reader sees is durable, the cache excepted.
// Governed by docs/design/0002-event-log.md.
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
  std::string hash;  // SHA-256, 32 raw bytes
  std::vector<std::byte> bytes;
};

// A small value that is as durable as the events it is written with (the answer to a command id).
struct memo {
  std::string key;
  std::string value;
};

// What is written at once, with one sync.
struct write_batch {
  std::vector<stored_record> records;  // sequences follow the last one without a gap
  std::vector<blob> blobs;
  std::vector<memo> memos;
  std::vector<std::string> adopted;  // hashes of blobs that were put in pieces and are now named by an event
};

// Why a store could not do what was asked.
enum class store_error {
  none,
  disk_full,    // nothing of the batch is kept; writing may succeed later; reading still works
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

class event_store {
 public:
  virtual ~event_store() = default;

  // All of the batch, synced to disk when `ok` comes back; or nothing of it (see store_error).
  virtual store_status append(const write_batch& batch) = 0;

  // Sequence of the last record, 0 for an empty store.
  virtual std::uint64_t last_sequence() const = 0;
  // Version of the stream's last record, 0 for a stream without any.
  virtual std::uint64_t last_version(std::uint64_t stream) const = 0;
  // The highest serial any record carries, 0 for an empty store.
  virtual std::uint64_t last_stream() const = 0;

  // Calls visit(sequence, bytes) for each record from `from` on, in order, until visit says false or none is left.
  // A gap in the sequences is left for the caller to see.
  using visitor = std::function<bool(std::uint64_t sequence, byte_span bytes)>;
  virtual store_status read(std::uint64_t from, const visitor& visit) const = 0;

  // The same for one stream, in the order of its versions, from version `from_version` on.
  virtual store_status read_stream(std::uint64_t stream, std::uint64_t from_version, const visitor& visit) const = 0;

  // Calls visit for each entry of the index from (stream, version) to sequence, in the order of its keys.
  using index_visitor = std::function<bool(std::uint64_t stream, std::uint64_t version, std::uint64_t sequence)>;
  virtual store_status read_index(const index_visitor& visit) const = 0;

  // Nothing: no such blob, or it can't be read (then `why`, if given, says so). The content is checked against its
  // hash.
  virtual std::optional<std::vector<std::byte>> read_blob(std::string_view hash, store_status* why = nullptr) const = 0;

  // A large blob goes ahead of its event in pieces numbered from 0, then is finished, which syncs. Pieces of a blob
  // that was not finished, and finished blobs that no event adopted, are gone after the next open. Any thread, one per
  // blob.
  virtual store_status put_blob_piece(std::string_view hash, std::uint32_t number, byte_span bytes) = 0;
  virtual store_status finish_blob(std::string_view hash, std::uint32_t pieces) = 0;

  virtual std::optional<std::string> read_memo(std::string_view key) const = 0;
  // Forgets every memo whose key is below `bound`. Without sync: repeated by the caller after a crash.
  virtual store_status drop_memos_below(std::string_view bound) = 0;

  // Named values that are a cache (snapshots): may be lost at any time. keep_cache() makes what was put survive a kill.
  virtual store_status put_cache(std::string_view key, byte_span value) = 0;
  virtual store_status keep_cache() = 0;
  virtual std::optional<std::vector<std::byte>> get_cache(std::string_view key) const = 0;
  // Calls visit for each cache entry whose key begins with prefix.
  virtual void scan_cache(std::string_view prefix,
                          const std::function<bool(std::string_view key, byte_span value)>& visit) const = 0;
  virtual store_status drop_cache(std::string_view prefix) = 0;
};

}  // namespace annals::ports
