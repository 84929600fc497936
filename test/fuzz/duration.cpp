// Round trip of durations.
#include "events/values/duration.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::round_trip(
      fuzz::text_of(data, size), [](std::string_view t) { return values::parse_duration(t); },
      [](const auto& v) { return values::print_duration(v); });
  return 0;
}
