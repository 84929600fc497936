// Which client sends which script in pieces, and which it has sent: room for so many at once, and a memory of the last ones, so
// that a job names only what its submitter has just uploaded. No actor, no connection; writes to the store.
// Governed by docs/design/0002-event-log.md, "Blobs".
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "events/log/blob_upload.hpp"
#include "events/model/outcome.hpp"
#include "events/ports/blob_store.hpp"
#include "events/schema/client.capnp.h"

namespace annals::actors {

class upload_book {
 public:
  // What is not whole yet lies in nameless files of this directory.
  upload_book(ports::blob_store* store, std::string directory) : store_(store), directory_(std::move(directory)) {}

  // A piece of a client's upload. Nothing: taken, and with the last piece the blob is synced. A refusal ends the upload.
  std::optional<model::rejection> take(std::uint64_t client, const std::string& user, schema::PutBlob::Reader piece);
  // Nothing: the client has uploaded these bytes.
  std::optional<model::rejection> claim(std::uint64_t client, const std::string& hash, std::uint64_t size) const;
  void forget(std::uint64_t client) { clients_.erase(client); }
  std::size_t clients() const { return clients_.size(); }  // that upload or have uploaded

 private:
  struct finished_upload {
    std::string hash;
    std::uint64_t size;
  };
  struct client_uploads {
    std::string user;
    std::map<std::string, std::unique_ptr<log::blob_upload>> open;  // by hash
    std::deque<finished_upload> finished;                           // oldest first
  };

  std::optional<model::rejection> take(client_uploads& from, const std::string& hash, schema::PutBlob::Reader piece);
  std::optional<model::rejection> begin(client_uploads& from, const std::string& hash);
  static void remember(client_uploads& from, finished_upload upload);
  static const finished_upload* find(const client_uploads& from, const std::string& hash);

  ports::blob_store* store_;
  std::string directory_;
  std::map<std::uint64_t, client_uploads> clients_;
};

}  // namespace annals::actors
