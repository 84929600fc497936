#include "actors/gateway/callers/upload_book.hpp"

#include <algorithm>

#include "events/model/limits.hpp"
#include "events/schema/message.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

namespace {

model::rejection failed(const std::string& why) { return {pbs_error::system_error, "System error: " + why}; }
model::rejection wrong(const std::string& why) { return {pbs_error::protocol, "Batch protocol error: " + why}; }
model::rejection gone(const std::string& what) {
  return {pbs_error::system_error, "System error: " + what + " is not here: upload the script again", true};
}
model::rejection too_many(const char* whose, std::size_t limit) {
  return failed("too many uploads of one " + std::string(whose) + " at once (limit " + std::to_string(limit) + ")");
}

}  // namespace

std::optional<model::rejection> upload_book::take(std::uint64_t client, const std::string& user, schema::PutBlob::Reader piece) {
  const std::string hash(reinterpret_cast<const char*>(piece.getHash().begin()), piece.getHash().size());
  if (hash.size() != log::blob_hash_bytes)
    return wrong("the hash of an upload has " + std::to_string(log::blob_hash_bytes) + " bytes, not " + std::to_string(hash.size()));
  auto& from = clients_[client];
  from.user = user;
  auto refusal = take(from, hash, piece);
  if (refusal) from.open.erase(hash);
  if (from.open.empty() && from.finished.empty()) clients_.erase(client);
  return refusal;
}

std::optional<model::rejection> upload_book::claim(std::uint64_t client, const std::string& hash, std::uint64_t size) const {
  const auto from = clients_.find(client);
  const auto* known = from == clients_.end() ? nullptr : find(from->second, hash);
  if (!known) return gone("the job's script");
  if (known->size != size) return wrong("the job's script has " + std::to_string(known->size) + " bytes, not " + std::to_string(size));
  return std::nullopt;
}

std::optional<model::rejection> upload_book::take(client_uploads& from, const std::string& hash, schema::PutBlob::Reader piece) {
  if (piece.getOffset() == 0)
    if (auto refusal = begin(from, hash)) return refusal;
  const auto open = from.open.find(hash);
  if (open == from.open.end() || open->second->size() != piece.getOffset())
    return gone("the piece before offset " + std::to_string(piece.getOffset()));
  auto& upload = *open->second;
  if (const auto status = upload.add(schema::bytes_of(piece.getData())); !status) return failed(status.text);
  if (!piece.getLast()) return std::nullopt;
  if (upload.hash() != hash) return failed("the script's bytes are not those its hash was made of");
  if (const auto status = upload.finish(*store_); !status) return failed(status.text);
  remember(from, {hash, upload.size()});
  from.open.erase(open);
  return std::nullopt;
}

std::optional<model::rejection> upload_book::begin(client_uploads& from, const std::string& hash) {
  from.open.erase(hash);
  if (from.open.size() >= limits::open_uploads_of_client_max) return too_many("client", limits::open_uploads_of_client_max);
  std::size_t of_user = 0;
  for (const auto& [id, c] : clients_)
    if (c.user == from.user) of_user += c.open.size();
  if (of_user >= limits::open_uploads_of_user_max) return too_many("user", limits::open_uploads_of_user_max);
  from.open.emplace(hash, std::make_unique<log::blob_upload>(directory_));
  return std::nullopt;
}

void upload_book::remember(client_uploads& from, finished_upload upload) {
  std::erase_if(from.finished, [&](const finished_upload& f) { return f.hash == upload.hash; });
  from.finished.push_back(std::move(upload));
  if (from.finished.size() > limits::remembered_uploads_max) from.finished.pop_front();
}

const upload_book::finished_upload* upload_book::find(const client_uploads& from, const std::string& hash) {
  const auto at = std::find_if(from.finished.begin(), from.finished.end(), [&](const finished_upload& f) { return f.hash == hash; });
  return at == from.finished.end() ? nullptr : &*at;
}

}  // namespace annals::actors
