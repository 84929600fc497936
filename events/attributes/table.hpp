// Every attribute of every kind of object is one row. Parsing, permission, validation, printing and the generated
// reference page read the row; nothing else knows attribute names. Source: pbs guide, "attributes".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "events/attributes/attribute.hpp"
#include "events/attributes/attribute_set.hpp"
#include "events/schema/common.capnp.h"

namespace annals::attributes {

std::span<const attribute> table_of(schema::ObjectKind kind);
const attribute* find(schema::ObjectKind kind, std::string_view name);  // any case, as PBS does; nullptr: unknown
const attribute* find(schema::ObjectKind kind, attribute_id id);

}  // namespace annals::attributes
