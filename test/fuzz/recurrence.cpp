// Recurrence rules: whatever is accepted has ascending starts, none before the first, none closer than the duration, and not too many.
#include "events/model/limits.hpp"
#include "events/values/recurrence.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::int64_t first = 1795221828, duration = 1;
  const auto text = fuzz::text_of(data, size);
  const auto line = text.find('\n');
  const auto zone = line == std::string_view::npos ? "Europe/Berlin" : text.substr(line + 1);
  const auto starts = values::occurrence_starts(text.substr(0, line), zone, first, duration);
  if (!starts) return 0;
  fuzz::require(!starts->empty() && starts->size() <= limits::occurrences_max, "none, or too many", text);
  std::int64_t before = first - duration;
  for (const auto start : *starts) {
    fuzz::require(start - before >= duration, "it begins before the last one ends", text);
    before = start;
  }
  return 0;
}
