// What hooks on hosts ask of the server (pbs.server().vnode(name) ...): which view that is, and what they are told of it. A host is shown
// what any user is: root on one node is no manager, and some hooks run as users. Pure. Governed by docs/design/0023-hooks.md.
#pragma once

#include <optional>
#include <string>

#include "actors/queries/hook_views.hpp"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/daemon/to_mom.capnp.h"

namespace annals::actors {

// Nothing: there are no such objects for hooks. sequence: where the view is to be true, or later.
std::optional<schema::sealed<schema::Request>> view_asked(schema::HookQuestion::Reader question, std::uint64_t sequence);
inline model::requester anybody_on(const std::string& host) { return {"", host, schema::Role::USER}; }

schema::sealed<schema::ToMom> answer_to(schema::HookQuestion::Reader question, const hook_objects& found);

}  // namespace annals::actors
