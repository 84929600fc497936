// Words in resources_used that are a JSON object: what hooks set on several hosts, as data (RU-11, RU-12, RU-15).
#pragma once

#include <string>
#include <string_view>

#include "tools/client/print/json_document.hpp"

namespace annals::client {

// Puts a member at that depth whose value is the object in this text: {"n1": "a", "n2": None}, '{"a": 1}' or {"a":1}. False, and
// nothing is put: the text is no object.
bool put_object_in(json_document& document, std::string& out, int depth, std::string_view name, std::string_view text);

}  // namespace annals::client
