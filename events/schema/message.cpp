#include "events/schema/message.hpp"

#include <capnp/any.h>

#include <algorithm>
#include <cstring>

namespace annals::schema {

struct sealed_message::holder {
  kj::Array<capnp::word> words;
  capnp::FlatArrayMessageReader reader;
  holder(kj::Array<capnp::word> w, capnp::ReaderOptions options) : words(std::move(w)), reader(words, options) {}
};

namespace {
// Reads every pointer once. A list may claim half a billion elements of no size in eight bytes; readers would loop over
// them for minutes. Reading it counts its elements against the traversal limit, which targetSize() does not.
void visit(capnp::AnyPointer::Reader pointer);

void visit(capnp::AnyStruct::Reader s) {
  for (auto pointer : s.getPointerSection()) visit(pointer);
}

void visit(capnp::AnyPointer::Reader pointer) {
  if (pointer.isStruct()) return visit(pointer.getAs<capnp::AnyStruct>());
  if (!pointer.isList()) return;
  const auto list = pointer.getAs<capnp::AnyList>();
  if (list.getElementSize() == capnp::ElementSize::INLINE_COMPOSITE)
    for (auto element : list.as<capnp::List<capnp::AnyStruct>>()) visit(element);
  if (list.getElementSize() == capnp::ElementSize::POINTER)
    for (auto element : list.as<capnp::List<capnp::AnyPointer>>()) visit(element);
}

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
      // In a message of ours nothing is pointed to twice, so that a pass reads no more than its size.
      bounds.traversal_words = std::min<std::uint64_t>(bounds.traversal_words, 2 * words.size() + 64);
      capnp::FlatArrayMessageReader check(words, options_of(bounds));
      if (check.getEnd() != words.end()) return refuse("bytes after the end of the message");
      visit(check.getRoot<capnp::AnyPointer>());
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
