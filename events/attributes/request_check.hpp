// Checks of single members of a Resource_List: what check_value(), complete_request() and alter_request() share.
#pragma once

#include <string_view>

#include "events/attributes/checked_text.hpp"
#include "events/attributes/resources.hpp"
#include "events/values/select.hpp"

namespace annals::attributes {

using checked_select = values::result<values::select_spec, refusal>;

// A select whose chunks ask only for what exists, is host-level and may be asked by this role; values as schedselect
// has them. `member` is the one of Resource_List that has it, for errors: "select.ncpus" for a bad value in a chunk, "Resource_List.select"
// for bad grammar.
checked_select check_select(std::string_view text, const resource_catalogue& resources, schema::Role role,
                            std::string_view member = "select");
// The same for chunks that come from the old nodes= form or from job-wide resources.
checked_select check_chunks(values::select_spec select, const resource_catalogue& resources, schema::Role role,
                            std::string_view member = "select");

// Whether the chunks have values that their resources can have; of resources that are not known anything will do.
bool has_good_values(const values::select_spec& select, const resource_catalogue& resources);

// The canonical text of one member ("mem" "1g" -> "1gb"; select and place stay as given), or its refusal with the name
// "Resource_List.mem". Says nothing about rights.
checked_text check_member(std::string_view list_name, std::string_view name, std::string_view text,
                          const resource_catalogue& resources);

}  // namespace annals::attributes
