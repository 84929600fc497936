// The port to blobs: content under its hash, which records name. Whoever has the log can find the content anywhere: it never
// changes, and is checked when it is read. Any thread.
// Governed by docs/design/0036-the-store-in-three.md and 0002-event-log.md.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "events/ports/store_status.hpp"

namespace annals::ports {

class blob_store {
 public:
  virtual ~blob_store() = default;

  // Nothing: no such blob, or it can't be read (then `why`, if given, says so). The content is checked against its
  // hash.
  virtual std::optional<std::vector<std::byte>> read_blob(std::string_view hash, store_status* why = nullptr) const = 0;

  // Whether a blob can be read and its content matches its hash; nothing: there is no such blob. In bounded memory.
  // `size` of a sound one.
  virtual std::optional<store_status> check_blob(std::string_view hash, std::uint64_t* size = nullptr) const {
    store_status why;
    const auto content = read_blob(hash, &why);
    if (content && size) *size = content->size();
    if (content) return store_status{};
    return why ? std::nullopt : std::optional(std::move(why));
  }

  // A large blob goes ahead of its record in pieces numbered from 0, then is finished, which syncs. Pieces of a blob
  // that was not finished, and finished blobs that no record adopted, are gone after the next open. A blob that is there
  // and damaged is whole again. Any thread, one per blob.
  virtual store_status put_blob_piece(std::string_view hash, std::uint32_t number, byte_span bytes) = 0;
  virtual store_status finish_blob(std::string_view hash, std::uint32_t pieces) = 0;
};

}  // namespace annals::ports
