// Round trip of limits; what breaks no rule of the grammar is what may be parsed, and a problem has its place inside the text.
#include "events/values/limit_spec.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::round_trip(
      fuzz::text_of(data, size), [](std::string_view t) { return values::parse_limits(t); },
      [](const auto& v) { return values::print(v); });
  const auto text = fuzz::text_of(data, size);
  const auto problem = values::limit_syntax_problem(text);
  fuzz::require(!problem || *problem <= text.size(), "a problem behind the end", text);
  fuzz::require(!problem || !values::parse_limits(text, false), "what breaks the grammar is taken", text);
  return 0;
}
