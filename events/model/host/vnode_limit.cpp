#include "events/model/host/vnode_limit.hpp"

#include <unordered_set>

#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/model/host/host_limits.hpp"
#include "events/schema/daemon/from_mom.capnp.h"

namespace annals::model {

namespace {

// A text has a zero at its end, and each begins at a word.
std::size_t bytes_of(capnp::Text::Reader text) { return text.size() / 8 * 8 + 8; }

// As they stand in an event, at most: a list element of a vnode has two pointers, one of an attribute three and a number.
std::size_t bytes_of(schema::MomHello::Reader hello) {
  std::size_t bytes = 0;
  for (auto v : hello.getVnodes()) {
    bytes += 24 + bytes_of(v.getName());
    for (auto a : v.getAttributes()) bytes += 32 + bytes_of(a.getName()) + bytes_of(a.getResource()) + bytes_of(a.getValue());
  }
  return bytes;
}

std::int64_t vnodes_then(const host_state& host, schema::MomHello::Reader hello) {
  std::unordered_set<std::string_view> fresh;
  for (auto v : hello.getVnodes())
    if (const auto name = schema::text(v.getName()); !host.vnode(name)) fresh.insert(name);
  return fresh.empty() ? 0 : static_cast<std::int64_t>(host.vnodes.size() + fresh.size());
}

}  // namespace

std::int64_t vnodes_of_host_max(const settings& settings) {
  return attributes::integer_of(settings.server, attributes::server::max_vnodes_per_host).value_or(limits::vnodes_of_host_default);
}

std::optional<std::string> vnodes_refusal(const host_state& host, schema::MomHello::Reader hello, const settings& settings) {
  const auto most = vnodes_of_host_max(settings);
  const auto then = vnodes_then(host, hello);
  const auto refused = "; its vnodes stay as they were";
  if (then > most)
    return "host " + host.name + " tells " + std::to_string(hello.getVnodes().size()) + " vnodes and would have " + std::to_string(then) +
           ": max_vnodes_per_host allows " + std::to_string(most) + refused;
  if (const auto bytes = bytes_of(hello); bytes > limits::event_bytes_max - limits::hello_room_bytes)
    return "host " + host.name + " tells " + std::to_string(hello.getVnodes().size()) + " vnodes in " + std::to_string(bytes) +
           " bytes: an event has room for " + std::to_string(limits::event_bytes_max - limits::hello_room_bytes) + refused;
  return std::nullopt;
}

}  // namespace annals::model
