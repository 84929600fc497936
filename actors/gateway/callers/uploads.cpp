#include "actors/gateway/callers/uploads.hpp"

#include <memory>

#include "actors/gateway/callers/upload_book.hpp"
#include "actors/server/replies.hpp"

namespace annals::actors {

namespace {

void tell(const reply_ptr& reply, const std::optional<model::rejection>& refusal) {
  if (refusal) reply->refused(0, *refusal);
  else reply->done(0, "");
}

}  // namespace

caf::behavior uploads(caf::event_based_actor*, ports::blob_store* store, std::string directory) {
  const auto book = std::make_shared<upload_book>(store, std::move(directory));
  return {
      [book](const upload_piece& p) {
        for_asker(p.to, [&] {
          const auto request = p.request.get();
          tell(reply_to_client(p.to, request.getId()), book->take(p.client, p.by.user, request.getPutBlob()));
        });
      },
      [book](const claim_upload& c) { tell(c.then, book->claim(c.client, c.hash, c.size)); },
      [book](const client_gone& g) { book->forget(g.client); },
  };
}

}  // namespace annals::actors
