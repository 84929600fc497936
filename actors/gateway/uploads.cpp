#include "actors/gateway/uploads.hpp"

#include <map>
#include <memory>

#include "actors/server/replies.hpp"
#include "events/log/blob_upload.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace {

struct uploading {
  ports::event_store* store;
  std::string directory;
  std::map<std::pair<std::uint64_t, std::string>, std::unique_ptr<log::blob_upload>> open;    // by connection and hash

  // Empty: taken.
  std::string take(const query& q, schema::PutBlob::Reader piece) {
    const std::string hash(reinterpret_cast<const char*>(piece.getHash().begin()), piece.getHash().size());
    const auto key = std::pair(q.peer->id(), hash);
    auto& upload = open[key];
    if (piece.getOffset() == 0) upload = std::make_unique<log::blob_upload>(directory);
    if (!upload || upload->size() != piece.getOffset()) {
      open.erase(key);
      return "a piece of the script is missing before offset " + std::to_string(piece.getOffset());
    }
    if (const auto status = upload->add(schema::bytes_of(piece.getData())); !status) {
      open.erase(key);
      return status.text;
    }
    if (!piece.getLast()) return {};
    auto finished = upload->finish(*store);
    open.erase(key);
    if (const auto* status = std::get_if<ports::store_status>(&finished)) return status->text;
    return std::get<std::string>(finished) == hash ? "" : "the script's bytes are not those its hash was made of";
  }
};

}  // namespace

caf::behavior uploads(caf::event_based_actor* self, ports::event_store* store, std::string directory) {
  (void)self;
  auto u = std::make_shared<uploading>(uploading{store, std::move(directory), {}});
  return {
      [u](const query& q) {
        for_peer(q.peer, [&] {
          const auto request = q.request.get();
          const auto why = u->take(q, request.getPutBlob());
          auto reply = reply_to_client(q.peer, request.getId());
          if (why.empty()) reply->done(0, "");
          else reply->refused(0, {values::pbs_error::system_error, "System error: " + why});
        });
      },
      [u](const peer_closed& c) {
        std::erase_if(u->open, [&](const auto& entry) { return entry.first.first == c.peer->id(); });
      },
  };
}

}  // namespace annals::actors
