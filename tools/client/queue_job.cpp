#include "tools/client/queue_job.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "events/model/limits.hpp"
#include "tools/client/sha256.hpp"

namespace annals::client {

namespace {

// What a connection uploaded is there until it breaks: a server that forgets it more often than this is no use.
constexpr int uploads_on_one_connection_max = 3;

using script_hash = std::array<std::uint8_t, 32>;

// Sends a script too large for the request ahead, piece by piece. Nothing: the server has it; else its refusal.
std::optional<reply> upload(session& server, const std::string& script, const script_hash& hash) {
  for (std::size_t at = 0; at < script.size(); at += limits::blob_piece_bytes) {
    const std::size_t size = std::min(limits::blob_piece_bytes, script.size() - at);
    reply r = server.call([&](schema::Request::Builder request) {
      auto piece = request.initPutBlob();
      piece.setHash(capnp::Data::Reader(hash.data(), hash.size()));
      piece.setOffset(at);
      piece.setData(capnp::Data::Reader(reinterpret_cast<const capnp::byte*>(script.data() + at), size));
      piece.setLast(at + size == script.size());
    });
    if ((*r).isRejected()) return r;
  }
  return std::nullopt;
}

void fill_job(schema::QueueJob::Builder job, const queue_request& what, const script_hash* hash) {
  job.setQueue(what.queue);
  job.setSubmitHost(this_host());
  if (what.defaults) job.setDefaults(*what.defaults);
  fill(job.initAttributes(static_cast<unsigned>(what.attributes.size())), what.attributes);
  if (what.script == nullptr) return;
  job.setHasScript(true);
  if (hash == nullptr) {
    job.setScript(capnp::Data::Reader(reinterpret_cast<const capnp::byte*>(what.script->data()), what.script->size()));
  } else {
    auto ref = job.initScriptRef();
    ref.setHash(capnp::Data::Reader(hash->data(), hash->size()));
    ref.setSize(what.script->size());
  }
}

}  // namespace

reply queue_job(session& server, const queue_request& what, const session::command_name& command) {
  std::optional<script_hash> hash;
  if (what.script != nullptr && what.script->size() > limits::inline_blob_bytes_max) hash = sha256(*what.script);
  unsigned connection = server.reconnections();
  for (int rounds = 0;; ++rounds) {
    std::optional<reply> answer;
    if (hash) answer = upload(server, *what.script, *hash);
    if (!answer)
      answer =
          server.call(command, [&](schema::Request::Builder request) { fill_job(request.initQueueJob(), what, hash ? &*hash : nullptr); });
    if (!hash || !(**answer).isRejected() || !(**answer).getRejected().getUploadAgain()) return *answer;
    if (connection != std::exchange(connection, server.reconnections())) rounds = 0;
    if (rounds >= uploads_on_one_connection_max) return *answer;
  }
}

}  // namespace annals::client
