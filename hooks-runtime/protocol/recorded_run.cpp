#include "hooks-runtime/protocol/recorded_run.hpp"

#include "events/schema/packed.hpp"
#include "hooks-runtime/protocol/hook_limits.hpp"

namespace annals::hooks {
namespace {

capnp::Data::Reader data(const std::string& bytes) { return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()}; }

template <class T>
std::optional<schema::sealed<T>> message_of(capnp::Data::Reader kept, bool is_packed) {
  const auto bytes = schema::bytes_of(kept);
  auto message = is_packed ? schema::unpacked(bytes, limits::hook_request_bytes_max) : schema::sealed_message::from_bytes(bytes);
  return message ? std::optional(schema::sealed<T>(std::move(*message))) : std::nullopt;
}

}  // namespace

void record(const std::string& packed_request, const std::string& packed_reply, schema::HookRun::Builder run) {
  run.setRequest(data(packed_request));
  run.setReply(data(packed_reply));
  run.setPacked(true);
}

std::optional<schema::sealed<protocol::Request>> request_of(schema::HookRun::Reader run) {
  return message_of<protocol::Request>(run.getRequest(), run.getPacked());
}

std::optional<schema::sealed<protocol::Reply>> reply_of(schema::HookRun::Reader run) {
  return message_of<protocol::Reply>(run.getReply(), run.getPacked());
}

}  // namespace annals::hooks
