#include "events/schema/packed.hpp"

#include <capnp/serialize-packed.h>

#include <vector>

namespace annals::schema {
namespace {
using segment_words = kj::ArrayPtr<const capnp::word>;

std::vector<segment_words> segments_of(capnp::MessageReader& message) {
  std::vector<segment_words> all;
  for (auto s = message.getSegment(0); s != nullptr; s = message.getSegment(static_cast<unsigned>(all.size()))) all.push_back(s);
  return all;
}
kj::ArrayPtr<const segment_words> listed(const std::vector<segment_words>& all) { return {all.data(), all.size()}; }
}  // namespace

std::string packed(const sealed_message& message) {
  const auto bytes = message.bytes();
  capnp::FlatArrayMessageReader flat({reinterpret_cast<const capnp::word*>(bytes.data()), bytes.size() / sizeof(capnp::word)});
  const auto segments = segments_of(flat);
  kj::VectorOutputStream out(bytes.size());
  capnp::writePackedMessage(out, listed(segments));
  const auto written = out.getArray();
  return {reinterpret_cast<const char*>(written.begin()), written.size()};
}

std::optional<sealed_message> unpacked(byte_span bytes, std::size_t bytes_max) {
  kj::ArrayInputStream in({reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()});
  capnp::ReaderOptions limits;
  limits.traversalLimitInWords = bytes_max / sizeof(capnp::word);
  try {
    capnp::PackedMessageReader message(in, limits);
    const auto segments = segments_of(message);
    const auto words = capnp::messageToFlatArray(listed(segments));
    return sealed_message::from_bytes(std::as_bytes(std::span(words.begin(), words.size())));
  } catch (const kj::Exception&) {  // cut off, or larger than agreed
    return std::nullopt;
  }
}

}  // namespace annals::schema
