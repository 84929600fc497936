// job_sort_formula from any bytes: reading never fails otherwise than by saying so, every formula has a finite value or an error, and
// blanks around it change nothing.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "events/values/job_formula.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace annals::values;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto any_name = [](std::string_view) { return true; };
  const auto formula = job_formula::parse(text, any_name);
  if (!formula) return 0;
  for (const double each : {0.0, 1.0, -3.5, 1e300}) {
    const std::vector<double> numbers(formula->names().size(), each);
    const auto result = formula->value(numbers);
    if (!std::isfinite(result.value) || (result.error && result.value != 0)) std::abort();
  }
  if (size + 2 < job_formula::chars_max && !(job_formula::parse(" " + std::string(text) + "\t", any_name) == formula)) std::abort();
  return 0;
}
