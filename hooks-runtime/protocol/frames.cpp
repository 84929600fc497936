#include "hooks-runtime/protocol/frames.hpp"

#include <kj/io.h>

#include <cstdint>
#include <cstring>

namespace annals::hooks {
namespace {
// A request nests no deeper than parameter, object, attribute, text.
constexpr schema::read_bounds bounds{.traversal_words = UINT64_MAX >> 4, .nesting = 16};
}  // namespace

std::string framed(const schema::sealed_message& message) {
  const auto bytes = message.bytes();
  const auto length = static_cast<std::uint32_t>(bytes.size());
  std::string out(sizeof length + bytes.size(), '\0');
  std::memcpy(out.data(), &length, sizeof length);
  std::memcpy(out.data() + sizeof length, bytes.data(), bytes.size());
  return out;
}

std::string framed(capnp::MessageBuilder& message) {
  const auto length = static_cast<std::uint32_t>(capnp::computeSerializedSizeInWords(message) * sizeof(capnp::word));
  std::string out(sizeof length + length, '\0');
  std::memcpy(out.data(), &length, sizeof length);
  kj::ArrayOutputStream to(kj::arrayPtr(reinterpret_cast<kj::byte*>(out.data()) + sizeof length, length));
  capnp::writeMessage(to, message);
  return out;
}

void frame_reader::feed(schema::byte_span bytes) {
  if (at_ == bytes_.size()) {
    bytes_.clear();
    at_ = 0;
  }
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

frame_reader::found frame_reader::next(schema::sealed_message& message) {
  std::uint32_t length = 0;
  if (left() < sizeof length) return found::nothing;
  std::memcpy(&length, bytes_.data() + at_, sizeof length);
  if (length == 0 || length > max_) return found::garbage;
  if (left() - sizeof length < length) return found::nothing;
  auto read = schema::sealed_message::from_bytes({bytes_.data() + at_ + sizeof length, length}, bounds);
  if (!read) return found::garbage;
  at_ += sizeof length + length;
  message = std::move(*read);
  return found::message;
}

}  // namespace annals::hooks
