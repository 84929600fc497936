// Takes a large blob in pieces as a client sends it, without holding it in memory: pieces go to an unlinked temporary
// file while their SHA-256 is computed, then into the store. A crash at any moment leaves nothing behind that the next
// open of the store does not sweep.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "events/ports/event_store.hpp"

namespace annals::log {

class blob_upload {
 public:
  // `directory` holds the temporary file; it has no name there.
  explicit blob_upload(const std::string& directory);
  ~blob_upload();
  blob_upload(const blob_upload&) = delete;
  blob_upload& operator=(const blob_upload&) = delete;

  // Errors: disk_full, io, and too large (io, naming limits::blob_bytes_max). After an error the upload is over.
  ports::store_status add(ports::byte_span piece);
  // Puts what came into the store, synced, and returns its hash (32 raw bytes); the event that names it lists the hash
  // in append::uploaded.
  std::variant<std::string, ports::store_status> finish(ports::event_store& store);
  std::uint64_t size() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace annals::log
