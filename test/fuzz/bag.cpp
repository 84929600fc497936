// Packed attribute lists from outside: read whole or refused; what was read can be changed and packed again.
#include "events/attributes/bag.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::text_of(data, size);
  auto bag = attributes::bag::from_packed(bytes);
  if (!bag) return 0;
  fuzz::require(bag->packed() == bytes, "packed bytes differ", bytes);
  attributes::bag_writer writer;
  for (const attributes::entry& e : *bag) {
    writer.put(e.id, e.resource, e.value);
    fuzz::require(bag->get(e.id, e.resource) == e.value, "an entry is not found", bytes);
  }
  fuzz::require(writer.take() == bytes, "written again it differs", bytes);
  bag->set(10, "r", "v");
  bag->erase_all(20);
  fuzz::require(attributes::bag::from_packed(bag->packed()).has_value(), "changed it is malformed", bytes);
  return 0;
}
