// What scripts ask of the server, as stats of one position of the log, and what they are told. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "events/schema/client.capnp.h"
#include "hooks-runtime/chain/payload.hpp"

namespace annals::hooks {

using hook_objects = std::vector<hook_object>;

// A stat of one kind at a position; no names: all there are.
schema::sealed<schema::Request> view_request(schema::ObjectKind kind, const std::vector<std::string>& names, std::uint64_t sequence);
// The same for the sake of their names; of jobs: those in `queue`, if it is one.
schema::sealed<schema::Request> names_request(schema::ObjectKind kind, std::uint64_t sequence, const std::string& queue = {});
// The objects of a reply to it.
void take_objects(schema::ObjectKind kind, schema::Reply::Reader reply, hook_objects& into);

// The kind as daemons and commands know it. Nothing: there are none that could be asked for.
std::optional<schema::ObjectKind> schema_kind(protocol::ObjectKind kind);

// What a script asked, as a stat (nothing: it can't be answered here), and what it is told of the objects found.
struct asked_view {
  schema::sealed<schema::Request> request;
  bool names_only = false;
};
std::optional<asked_view> view_asked(protocol::Question::Reader question, std::uint64_t sequence);
sealed_answer answer_with(const hook_objects& found, bool names_only);

}  // namespace annals::hooks
