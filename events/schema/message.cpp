#include "events/schema/message.hpp"

#include <cstring>

namespace annals::schema {

struct sealed_message::holder {
  kj::Array<capnp::word> words;
  capnp::FlatArrayMessageReader reader;
  holder(kj::Array<capnp::word> w, capnp::ReaderOptions options) : words(std::move(w)), reader(words, options) {}
};

namespace {
capnp::ReaderOptions options_of(read_bounds b) {
  capnp::ReaderOptions o;
  o.traversalLimitInWords = b.traversal_words;
  o.nestingLimit = b.nesting;
  return o;
}
}  // namespace

capnp::MessageReader& sealed_message::reader() const { return held_->reader; }

byte_span sealed_message::bytes() const {
  if (!held_) return {};
  auto b = held_->words.asBytes();
  return std::as_bytes(std::span(b.begin(), b.size()));
}

std::optional<sealed_message> sealed_message::from_bytes(byte_span bytes, read_bounds bounds, std::string* why) {
  auto refuse = [&](std::string text) -> std::optional<sealed_message> {
    if (why) *why = std::move(text);
    return std::nullopt;
  };
  if (bytes.empty() || bytes.size() % sizeof(capnp::word) != 0) return refuse("length is not a positive multiple of 8");
  auto words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
  std::memcpy(words.begin(), bytes.data(), bytes.size());
  try {
    // One bounded pass over the whole message, so that later readers meet no malformed pointer.
    {
      capnp::FlatArrayMessageReader check(words, options_of(bounds));
      if (check.getEnd() != words.end()) return refuse("bytes after the end of the message");
      (void)check.getRoot<capnp::AnyPointer>().targetSize();
    }
    sealed_message m;
    m.held_ = std::make_shared<holder>(std::move(words), options_of({UINT64_MAX >> 4, bounds.nesting}));
    return m;
  } catch (const kj::Exception& e) {
    return refuse(std::string(e.getDescription().cStr()));
  }
}

sealed_message sealed_message::from_builder(capnp::MessageBuilder& builder) {
  sealed_message m;
  m.held_ = std::make_shared<holder>(capnp::messageToFlatArray(builder), options_of({}));
  return m;
}

}  // namespace annals::schema
