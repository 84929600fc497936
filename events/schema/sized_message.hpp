// A message whose size is known beforehand is put together in one piece: it does not grow from piece to piece.
#pragma once

#include <capnp/message.h>

#include <cstddef>
#include <utility>

#include "events/schema/message.hpp"

namespace annals::schema {

// As make() in message.hpp. `words`: about so many it takes; what takes more is put together from pieces.
template <class T, class Fill>
sealed<T> make_sized(std::size_t words, Fill&& fill) {
  capnp::MallocMessageBuilder builder(static_cast<unsigned>(words));
  std::forward<Fill>(fill)(builder.initRoot<T>());
  return sealed<T>(sealed_message::from_builder(builder));
}

}  // namespace annals::schema
