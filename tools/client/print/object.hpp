// One object of a stat reply, read where it lies. The packed attributes come from outside: reading stops at the first
// entry that does not fit, so a damaged reply prints short and never reads beyond its end. Pure.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "events/attributes/attribute_set.hpp"

namespace annals::client {

struct object_view {
  std::string_view name;    // "12.q1", "workq"
  std::string_view packed;  // attributes in the layout of events/attributes/attribute_set.hpp
};

// Calls `each(entry)` for every attribute, in order of display.
template <class Each>
void for_each_attribute(std::string_view packed, Each&& each) {
  constexpr std::size_t head_bytes = 7;  // u16 id, u8 resource length, u32 value length
  while (packed.size() >= head_bytes) {
    attributes::entry e{};
    std::uint32_t value_bytes;
    std::memcpy(&e.id, packed.data(), 2);
    const std::size_t resource_bytes = static_cast<unsigned char>(packed[2]);
    std::memcpy(&value_bytes, packed.data() + 3, 4);
    if (packed.size() - head_bytes < resource_bytes + value_bytes) return;
    e.resource = packed.substr(head_bytes, resource_bytes);
    e.value = packed.substr(head_bytes + resource_bytes, value_bytes);
    packed.remove_prefix(head_bytes + resource_bytes + value_bytes);
    each(e);
  }
}

// The value of one attribute; empty when it is not there.
inline std::string_view value_of(const object_view& object, attributes::attribute_id id,
                                 std::string_view resource = {}) {
  std::string_view found;
  for_each_attribute(object.packed, [&](const attributes::entry& e) {
    if (e.id == id && e.resource == resource) found = e.value;
  });
  return found;
}

}  // namespace annals::client
