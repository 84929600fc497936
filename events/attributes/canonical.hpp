// The canonical text of a value: sizes with unit, durations HH:MM:SS, booleans True/False, lists without blanks, limits sorted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/attributes/attribute.hpp"
#include "events/attributes/resources.hpp"

namespace annals::attributes {

// By type alone: attributes, resource values and `-l` checks share this. Returns nullopt if it is no value of this type.
std::optional<std::string> canonical(value_type type, std::string_view text);
// The same of a resource's value, including select and place. Returns nullopt for a bad one.
std::optional<std::string> canonical(const resource& what, std::string_view text);

// The resources that are chunks: select, and those of jobs with spare ones.
bool is_select(std::string_view resource);

}  // namespace annals::attributes
