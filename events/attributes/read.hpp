// Values of attributes as what they are. An attribute set holds canonical text, which check_value() made when the value came
// in; here, and nowhere else, that text becomes a number again. Never throws: nothing where the attribute is not set, or where
// an older version let something else into the log.
#pragma once

#include <cstdint>
#include <optional>

#include "events/attributes/attribute_set.hpp"

namespace annals::attributes {

// Of an attribute of type integer, or date: seconds since 1970.
std::optional<std::int64_t> integer_of(const attribute_set& from, attribute_id id);
// Of an attribute of type duration, in seconds.
std::optional<std::int64_t> seconds_of(const attribute_set& from, attribute_id id);

}  // namespace annals::attributes
