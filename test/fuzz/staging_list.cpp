// Round trip of lists of staged files.
#include "events/values/staging_list.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::round_trip(
      fuzz::text_of(data, size), [](std::string_view t) { return values::parse_staging_list(t); },
      [](const auto& v) { return values::print(v); });
  return 0;
}
