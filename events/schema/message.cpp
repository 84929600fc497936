#include "events/schema/message.hpp"

#include <algorithm>
#include <cstring>

#include "events/schema/message_check.hpp"

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
  // In a message of ours nothing is pointed to twice, so that reading it costs no more than its size.
  const auto budget = std::min<std::uint64_t>(bounds.traversal_words, 2 * words.size() + 64);
  const std::span raw(reinterpret_cast<const std::uint64_t*>(words.begin()), words.size());
  if (const char* wrong = what_is_wrong(raw, budget, bounds.nesting)) return refuse(wrong);
  sealed_message m;
  m.held_ = std::make_shared<holder>(std::move(words), options_of({UINT64_MAX >> 4, bounds.nesting}));
  return m;
}

sealed_message sealed_message::from_builder(capnp::MessageBuilder& builder) {
  sealed_message m;
  m.held_ = std::make_shared<holder>(capnp::messageToFlatArray(builder), options_of({}));
  return m;
}

}  // namespace annals::schema
