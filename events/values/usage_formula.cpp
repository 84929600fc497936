#include "events/values/usage_formula.hpp"

#include <cmath>

#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::values {

double number_of(std::string_view value) {
  if (const auto number = parse_real(value)) return *number;
  if (const auto seconds = parse_duration(value)) return static_cast<double>(*seconds);
  if (const auto size = parse_size(value)) return static_cast<double>(size->to_kb());
  return 0;
}

std::optional<usage_formula> usage_formula::parse(std::string_view text) {
  if (text.size() > chars_max) return std::nullopt;
  auto read = job_formula::parse(text, [](std::string_view) { return true; });
  if (!read) return std::nullopt;
  usage_formula out;
  out.formula_ = std::move(*read);
  return out;
}

double usage_formula::value(std::span<const double> of_names) const {
  const auto result = formula_.value(of_names);
  return !result.error && std::isfinite(result.value) && result.value > 0 ? result.value : 0;
}

}  // namespace annals::values
