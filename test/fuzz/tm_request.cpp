// What a process of a job sends to the MoM's socket (docs/design/0022-task-manager.md): whatever the bytes, it is read within
// its bounds or refused.
#include <cstdlib>

#include "actors/mom/tasks/tm_requests.hpp"
#include "events/model/run/task_limits.hpp"
#include "events/schema/message.hpp"

using namespace annals;

namespace {

// What a request that was let through promises.
void check(const actors::tm_request& request) {
  if (const auto* s = std::get_if<actors::tm_spawn>(&request)) {
    if (s->argv.empty() || s->argv.front().empty()) std::abort();
    for (const auto& entry : s->environment)
      if (entry.find('=') == std::string::npos || entry.find('\0') != std::string::npos) std::abort();
  }
  if (const auto* p = std::get_if<actors::tm_publish>(&request))
    if (p->name.size() > limits::published_name_bytes_max || p->value.size() > limits::published_value_bytes_max) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto message = schema::sealed_message::from_bytes(std::as_bytes(std::span(data, size)), {size / 8 * 2 + 8, 32})) {
    try {
      check(actors::read_tm_request(message->root<schema::TmRequest>()));
    } catch (const kj::Exception&) {
    }
  }
  // The same bytes as words of a good message.
  const std::string word(reinterpret_cast<const char*>(data), size);
  const auto spawn = schema::make<schema::TmRequest>([&](schema::TmRequest::Builder r) {
    auto s = r.initSpawn();
    s.initArgv(1).set(0, capnp::Text::Reader(word.data(), word.size()));
    s.initEnvironment(1).set(0, capnp::Text::Reader(word.data(), word.size()));
  });
  const auto publish = schema::make<schema::TmRequest>([&](schema::TmRequest::Builder r) {
    r.initPublish().setName(capnp::Text::Reader(word.data(), word.size()));
    r.getPublish().setValue({data, size});
  });
  check(actors::read_tm_request(spawn.get()));
  check(actors::read_tm_request(publish.get()));
  return 0;
}
