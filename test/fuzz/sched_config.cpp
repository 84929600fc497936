// sched_config and the files kept with it from any bytes: parsing never fails, what was understood does not depend on lines that were
// not, and at any time it is prime time or not, until a later time.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "actors/scheduler/cycle/policy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = annals::cycle::parse_policy(text);
  const std::string with_comment = "# a comment\n\n" + std::string(text);
  if (!(annals::cycle::parse_policy(with_comment).value == parsed.value)) std::abort();
  for (const std::int64_t now : {0LL, 1'774'746'000LL, 1'795'359'430LL, 4'102'444'800LL}) {
    const auto status = parsed.value.prime_status_at(now);
    if (status.ends && (*status.ends <= now || parsed.value.prime_status_at(*status.ends).prime == status.prime)) std::abort();
  }
  return 0;
}
