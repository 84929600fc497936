// A message that is most likely small is put together on the stack: the heap is asked for its own bytes alone, not for room to build it in.
#pragma once

#include <capnp/message.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "events/schema/message.hpp"

namespace annals::schema {

constexpr std::size_t small_message_bytes = 1024;

// As make() in message.hpp. What does not fit on the stack goes on the heap.
template <class T, class Fill>
sealed<T> make_small(Fill&& fill) {
  std::array<capnp::word, small_message_bytes / sizeof(capnp::word)> room;
  std::memset(room.data(), 0, sizeof room);
  capnp::MallocMessageBuilder builder{kj::arrayPtr(room.data(), room.size())};
  std::forward<Fill>(fill)(builder.initRoot<T>());
  return sealed<T>(sealed_message::from_builder(builder));
}

}  // namespace annals::schema
