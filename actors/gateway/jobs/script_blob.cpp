#include "actors/gateway/jobs/script_blob.hpp"

#include "events/log/checksum.hpp"
#include "events/model/limits.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

script_blob script_blob_of(schema::QueueJob::Reader q) {
  script_blob out;
  if (!q.getHasScript()) return out;
  const auto ref = q.getScriptRef();
  if (ref.getHash().size() > 0) {
    out.hash.assign(reinterpret_cast<const char*>(ref.getHash().begin()), ref.getHash().size());
    out.size = ref.getSize();
    out.uploaded.push_back(out.hash);
    return out;
  }
  const auto text = schema::bytes_of(q.getScript());
  if (text.size() > limits::inline_blob_bytes_max) {
    out.refusal = {values::pbs_error::protocol, "Batch protocol error: a script of " + std::to_string(text.size()) +
                                                    " bytes must be uploaded in pieces (limit " +
                                                    std::to_string(limits::inline_blob_bytes_max) + ")"};
    return out;
  }
  const auto digest = log::sha256(text);
  out.hash.assign(reinterpret_cast<const char*>(digest.data()), digest.size());
  out.size = text.size();
  out.blobs.push_back({out.hash, {text.begin(), text.end()}});
  return out;
}

}  // namespace annals::actors
