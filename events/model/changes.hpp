// Changes that qmgr asks for, of any kind of object.
#pragma once

#include <functional>
#include <string_view>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/resources.hpp"
#include "events/model/context.hpp"
#include "events/model/outcome.hpp"
#include "events/schema/client.capnp.h"

namespace annals::model {

// Checks the changes of a Manage request against the kind's table (name, permission, value) and gives the event with
// the canonical changes: += and -= are worked out, so that it says what the value is now.
outcome changed_or_refused(schema::ObjectKind kind, const attributes::attribute_set& now_set, schema::Manage::Reader request,
                           const requester& by, const attributes::resource_catalogue& resources,
                           std::string_view vnode = {});
// The request with those of its changes alone that `stays` says.
schema::sealed<schema::Manage> only_changes(schema::Manage::Reader m, const std::function<bool(schema::Attribute::Reader)>& stays);
void apply_changes(schema::ObjectKind kind, attributes::attribute_set& to, capnp::List<schema::Attribute>::Reader changes);

}  // namespace annals::model
