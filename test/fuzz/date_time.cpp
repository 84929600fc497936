// Dates of -a: what is accepted lies after now, unless the year was given; and it can be printed.
#include "events/values/date_time.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::int64_t now = 1795221020;
  const auto text = fuzz::text_of(data, size);
  const auto seconds = values::parse_date_time(text, now);
  if (!seconds) return 0;
  const auto digits = text.substr(0, text.find('.'));
  fuzz::require(*seconds > now || digits.size() >= 10, "a date without a year is past", text);
  fuzz::require(values::print_date(*seconds).size() >= 24, "a date cannot be printed", text);
  return 0;
}
