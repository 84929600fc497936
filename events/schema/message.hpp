// A sealed Cap'n Proto message: bytes checked once, then shared and read by anybody, never changed.
// Events, commands and frames travel in this form between actors, to the disk and over the wire.
#pragma once

#include <capnp/message.h>
#include <capnp/serialize.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace annals::schema {

using byte_span = std::span<const std::byte>;

// What a reader of outside bytes may cost. Defaults suit what this process wrote itself.
struct read_bounds {
  std::uint64_t traversal_words = UINT64_MAX >> 4;
  int nesting = 64;
};

// The untyped part of sealed<T>: one flat message and its reader, kept alive together.
class sealed_message {
 public:
  sealed_message() = default;
  explicit operator bool() const { return static_cast<bool>(held_); }
  byte_span bytes() const;  // the flat message, a multiple of 8 bytes

  // Takes a copy of outside bytes. Nothing: they are no Cap'n Proto message within the bounds (why says what is wrong).
  static std::optional<sealed_message> from_bytes(byte_span bytes, read_bounds bounds = {}, std::string* why = nullptr);
  static sealed_message from_builder(capnp::MessageBuilder& builder);

  template <class T>
  typename T::Reader root() const { return reader().getRoot<T>(); }

 private:
  struct holder;
  capnp::MessageReader& reader() const;
  std::shared_ptr<holder> held_;
};

// A sealed message whose root is T. Only who reads it needs the header that declares T (events/schema/message_names.hpp); who restores one
// (events/values/stored_state.hpp) needs that header and events/schema/readable.hpp.
template <class T>
class sealed : public sealed_message {
 public:
  sealed() = default;
  explicit sealed(sealed_message m) : sealed_message(std::move(m)) {}
  auto get() const { return root<T>(); }
  auto operator*() const { return get(); }
  // events/values/stored_state.hpp
  void store(auto& to) const { to.bytes({reinterpret_cast<const char*>(bytes().data()), bytes().size()}); }
  void restore(auto& from) {
    const auto stored = from.bytes();
    auto message = from_bytes(std::as_bytes(std::span(stored.data(), stored.size())));
    sealed restored;
    if (message) restored = sealed(std::move(*message));
    if (!stored.empty() && (!message || !is_readable(restored))) from.refuse("a message of a state can't be read");
    *this = std::move(restored);
  }
};

// Builds a T by calling fill(T::Builder) and seals it.
template <class T, class Fill>
sealed<T> make(Fill&& fill) {
  capnp::MallocMessageBuilder builder(128);
  fill(builder.initRoot<T>());
  return sealed<T>(sealed_message::from_builder(builder));
}

// Seals a copy of a value that stands inside another message.
template <class T>
sealed<T> copy_of(typename T::Reader value) {
  capnp::MallocMessageBuilder builder(static_cast<unsigned>(value.totalSize().wordCount + 4));
  builder.setRoot(value);
  return sealed<T>(sealed_message::from_builder(builder));
}

inline std::string_view text(capnp::Text::Reader t) { return {t.cStr(), t.size()}; }
inline std::string str(capnp::Text::Reader t) { return {t.cStr(), t.size()}; }
inline std::vector<std::string> texts(capnp::List<capnp::Text>::Reader list) {
  std::vector<std::string> out;
  out.reserve(list.size());
  for (const auto t : list) out.push_back(str(t));
  return out;
}
inline byte_span bytes_of(capnp::Data::Reader d) { return std::as_bytes(std::span(d.begin(), d.size())); }

}  // namespace annals::schema
