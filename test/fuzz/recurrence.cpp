// Recurrence rules: whatever is accepted has ascending starts, none before the first, none closer than the duration, and not too many; and
// whatever is asked is answered soon.
#include <ctime>

#include "events/model/limits.hpp"
#include "events/values/recurrence.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

namespace {

// With sanitizers all is ten times as slow. A server of the release answers within 20 ms.
constexpr std::clock_t most = CLOCKS_PER_SEC / 2;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::int64_t first = 1795221828, duration = 1;
  const auto text = fuzz::text_of(data, size);
  const auto line = text.find('\n');
  const auto zone = line == std::string_view::npos ? "Europe/Berlin" : text.substr(line + 1);
  const auto before = std::clock();
  const auto starts = values::occurrence_starts(text.substr(0, line), zone, first, duration);
  fuzz::require(std::clock() - before < most, "it takes too long", text);
  if (!starts) return 0;
  fuzz::require(!starts->empty() && starts->size() <= limits::occurrences_max, "none, or too many", text);
  std::int64_t last = first - duration;
  for (const auto start : *starts) {
    fuzz::require(start - last >= duration, "it begins before the last one ends", text);
    last = start;
  }
  return 0;
}
