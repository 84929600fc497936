// Round trip of dependencies. Printed, those of one type stand together, so the text is printed once before it is compared.
#include "events/values/dependency.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto all = values::parse_dependencies(text);
  if (!all) return 0;
  fuzz::round_trip(values::print(*all), values::parse_dependencies, [](const auto& v) { return values::print(v); });
  return 0;
}
