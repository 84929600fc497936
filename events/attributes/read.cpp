#include "events/attributes/read.hpp"

#include "events/values/duration.hpp"
#include "events/values/number.hpp"

namespace annals::attributes {

std::optional<std::int64_t> integer_of(const attribute_set& from, attribute_id id) {
  const auto text = from.get(id);
  return text ? values::parse_integer(*text) : std::nullopt;
}

std::optional<std::int64_t> seconds_of(const attribute_set& from, attribute_id id) {
  const auto text = from.get(id);
  return text ? values::parse_duration(*text) : std::nullopt;
}

}  // namespace annals::attributes
