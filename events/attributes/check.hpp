// Whether a value may be given to an attribute: its form (by type, with the canonical text that is stored) and the
// right to set it. Refusals have PBS's numbers and texts; commands add the object's id.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "events/attributes/canonical.hpp"
#include "events/attributes/checked_text.hpp"
#include "events/attributes/resources.hpp"
#include "events/attributes/table.hpp"
#include "events/schema/common.capnp.h"
#include "events/values/pbs_error.hpp"
#include "events/values/result.hpp"

namespace annals::attributes {

// Whether the attribute holds one value for each resource: resource lists, and the limits on resources.
bool has_resources(const attribute& what);

// "Resource_List.walltime", or "Priority" for a plain attribute.
std::string full_name(const attribute& what, std::string_view resource);

// The canonical text of a value: sizes with unit, durations HH:MM:SS, booleans True/False, lists without blanks, limits
// sorted. 15014 with the name for a bad value, 15035 for an unknown resource or a resource attribute without a
// resource. An empty text is refused for all types but strings and lists.
checked_text check_value(const attribute& what, std::string_view resource, std::string_view text,
                         const resource_catalogue& resources);

// What -= takes away from a limit attribute: its entries may stand without values. The same refusals.
checked_text check_removed_limits(const attribute& what, std::string_view resource, std::string_view text,
                                  const resource_catalogue& resources);

// Orders two canonical values of a numeric type; other types compare as text (nothing when either is malformed).
std::optional<int> compare_values(value_type type, std::string_view a, std::string_view b);
// a + b and a - b for numeric types (never below zero for sizes and durations); string arrays: elements added or
// removed.
std::string add_values(value_type type, std::string_view a, std::string_view b);
std::string subtract_values(value_type type, std::string_view a, std::string_view b);

// The sum of canonical values of a numeric type, each as often as it is counted; it does not depend on their order. A single value stays
// as it is written; the sum of no values is empty.
struct counted_value {
  std::string_view value;
  std::uint64_t count = 0;
};
std::string sum_of_values(value_type type, std::span<const counted_value> values);

// Whether this requester may set the attribute (15003, 15015, 15007 with PBS's texts). `owner`: the object is a job and
// he is its owner; `running`: the job runs; `creating`: the command creates the object.
std::optional<refusal> may_set(const attribute& what, std::string_view resource, schema::Role role, bool owner,
                               bool running, bool creating, const resource_catalogue& resources);

// Whether he may ask for this member of a Resource_List, "Resource_List.walltime" (15003, 15007). An owner's right is given.
std::optional<refusal> may_ask_for(const resource& what, schema::Role role, std::string_view full_name);

// Whether this requester sees the attribute at all.
bool may_see(const attribute& what, schema::Role role, bool show_hidden);

}  // namespace annals::attributes
