// Takes a large blob in pieces as a client sends it, without holding it in memory: pieces go to an unlinked temporary
// file while their SHA-256 is computed, then into the store. A crash at any moment leaves nothing behind that the next
// open of the store does not sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "events/ports/event_store.hpp"

namespace annals::log {

constexpr std::size_t blob_hash_bytes = 32;  // SHA-256

class blob_upload {
 public:
  // `directory` holds the temporary file; it has no name there.
  explicit blob_upload(const std::string& directory);
  ~blob_upload();
  blob_upload(const blob_upload&) = delete;
  blob_upload& operator=(const blob_upload&) = delete;

  // Errors: disk_full, io, and too large (io, naming limits::blob_bytes_max). After an error the upload is over.
  ports::store_status add(ports::byte_span piece);
  std::uint64_t size() const;
  // SHA-256 of what came, 32 raw bytes. Nothing more can be added then.
  const std::string& hash();
  // What came is whole in the store, and synced, when this says so; the event that names it lists the hash in
  // append::uploaded.
  ports::store_status finish(ports::blob_store& store);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace annals::log
