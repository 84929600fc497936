// fairshare_usage_res from any bytes: reading never fails otherwise than by saying so, and every formula has a value that is an amount.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "events/values/fairshare_entity.hpp"
#include "events/values/usage_formula.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace annals::values;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)parse_fairshare_entity(text);
  if (!std::isfinite(number_of(text))) std::abort();
  const auto formula = usage_formula::parse(text);
  if (!formula) return 0;
  for (const double each : {0.0, 1.0, -3.5, 1e300}) {
    const auto value = formula->value_with([&](std::string_view) { return each; });
    if (!std::isfinite(value) || value < 0) std::abort();
  }
  if (!(usage_formula::parse(" " + std::string(text)) == formula) && size < usage_formula::chars_max) std::abort();
  return 0;
}
