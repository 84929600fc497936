// Attributes that are taken and shown, because PBS has them, and of which nothing follows here yet. Whoever sets one to another value
// than its default is told so in the server's log: no setting is silently without effect.
#pragma once

#include <string_view>

#include "events/attributes/table.hpp"

namespace annals::attributes {

// Of what part of PBS it is, as docs/compatibility.md names it; empty: it has its effect.
std::string_view missing_for(schema::ObjectKind kind, attribute_id id);

}  // namespace annals::attributes
