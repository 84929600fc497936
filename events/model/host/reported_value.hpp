// What a MoM may say of its vnodes, from its vnode definition files. Pure. Source: pbs guide, "Version 2 configuration files".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/attributes/check.hpp"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/message.hpp"

namespace annals::model {

// The canonical text of an attribute's value, or why it is none: 15002 an attribute that vnodes have not, 15003 one that
// a definition can't set, 15035 an unknown resource, 15067 an unknown sharing, 15014 and others a bad value.
attributes::checked_text reported_value(std::string_view name, std::string_view resource, std::string_view value,
                                        const attributes::resource_catalogue& resources);

struct left_out {
  std::string vnode, attribute, resource;
  values::refusal why;
};
// The hello with canonical values, without what is none. What hooks made is taken as it is: their resources are known to the
// server only when their reports have come.
struct checked_hello {
  schema::sealed<schema::FromMom> message;
  std::vector<left_out> problems;
  std::optional<unsigned> sockets;  // of the host, which the message says no more; nothing: its MoM did not say
};
checked_hello with_checked_values(const schema::sealed<schema::FromMom>& hello, const attributes::resource_catalogue& resources);

}  // namespace annals::model
