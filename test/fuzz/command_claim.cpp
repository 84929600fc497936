// What a process says first on the MoM's socket for commands of jobs (docs/design/0038-commands-of-jobs.md): whatever the bytes, it is
// a job and a cookie within their bounds, or nothing.
#include <cstdlib>

#include "actors/mom/runs/job_claim.hpp"
#include "events/model/run/task_limits.hpp"
#include "events/schema/client.capnp.h"

using namespace annals;

namespace {

void check(const std::optional<actors::job_claim>& claim) {
  if (!claim) return;
  for (const auto& word : {claim->job, claim->cookie})
    if (word.empty() || word.size() > limits::claim_bytes_max) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto message = schema::sealed_message::from_bytes(std::as_bytes(std::span(data, size)), {size / 8 * 2 + 8, 32})) {
    try {
      check(actors::read_claim(*message));
    } catch (const kj::Exception&) {
    }
  }
  // The same bytes as words of a good message.
  const std::string word(reinterpret_cast<const char*>(data), size);
  check(actors::read_claim(schema::make<schema::CommandOfJob>([&](schema::CommandOfJob::Builder c) {
    c.setJob(capnp::Text::Reader(word.data(), word.size()));
    c.setCookie(capnp::Text::Reader(word.data(), word.size()));
  })));
  return 0;
}
