// Packed attribute lists from outside: read whole or refused; what was read can be changed and packed again.
#include "events/attributes/attribute_set.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::text_of(data, size);
  auto set = attributes::attribute_set::from_packed(bytes);
  if (!set) return 0;
  fuzz::require(set->packed() == bytes, "packed bytes differ", bytes);
  attributes::attribute_set_writer writer;
  for (const attributes::entry& e : *set) {
    writer.put(e.id, e.resource, e.value);
    fuzz::require(set->get(e.id, e.resource) == e.value, "an entry is not found", bytes);
  }
  fuzz::require(writer.take() == bytes, "written again it differs", bytes);
  set->set(10, "r", "v");
  set->erase_all(20);
  fuzz::require(attributes::attribute_set::from_packed(set->packed()).has_value(), "changed it is malformed", bytes);
  return 0;
}
