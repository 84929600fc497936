// sched_config from any bytes: parsing never fails, and what was understood does not depend on lines that were not.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "actors/scheduler/cycle/policy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = annals::cycle::parse_policy(text);
  const std::string with_comment = "# a comment\n\n" + std::string(text);
  if (!(annals::cycle::parse_policy(with_comment).value == parsed.value)) std::abort();
  return 0;
}
