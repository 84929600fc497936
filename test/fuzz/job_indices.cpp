// Round trip of sets of subjobs: the array's range, a blank, and the set.
#include "events/values/job_indices.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto blank = text.find(' ');
  const auto of = values::parse_index_range(text.substr(0, blank));
  if (!of || blank == std::string::npos || of->count() > 100'000) return 0;
  const auto set = values::index_set::parse(text.substr(blank + 1), *of);
  if (!set) return 0;
  fuzz::round_trip(
      set->print(), [&](std::string_view t) { return values::index_set::parse(t, *of); }, [](const auto& s) { return s.print(); });
  return 0;
}
