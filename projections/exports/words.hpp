// Words of the schema's enums, as columns have them.
#pragma once

#include <capnp/schema.h>

#include <string>
#include <string_view>

#include "events/schema/message.hpp"

namespace annals::exports {

// The enumerant's name in the schema.
template <class Enum>
std::string word_of(Enum e) {
  const auto enumerants = capnp::Schema::from<Enum>().getEnumerants();
  const auto index = static_cast<unsigned>(e);
  return index < enumerants.size() ? std::string(enumerants[index].getProto().getName().cStr()) : "unknown";
}

inline std::string hex_of(capnp::Data::Reader bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const auto b : bytes) text += {digits[b >> 4], digits[b & 15]};
  return text;
}

}  // namespace annals::exports
