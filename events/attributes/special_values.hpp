// Attributes whose values are narrower than their type says: one row each. Only check.cpp asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/attributes/table.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::attributes {

struct special_value {
  schema::ObjectKind kind;
  attribute_id id;
  std::optional<std::string> (*canonical)(std::string_view text);  // nothing: refused
  std::uint32_t error;                                             // what it is refused with
  bool name_in_text;                                               // whether the refusal ends with the attribute's name
};

// nullptr: the type says all.
const special_value* special_value_of(const attribute& what);

}  // namespace annals::attributes
