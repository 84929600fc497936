// A look at the projections as they were at one position of the log: what hooks are shown, and what their questions are
// answered with. The query actor answers from its live state while that is at the position, else the log is asked, which
// costs a replay from the last checkpoint.
#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

#include <functional>

#include "events/model/context.hpp"
#include "hooks-runtime/chain/views.hpp"

namespace annals::actors {

using hooks::hook_objects;

// Hooks see everything, as the server itself does.
inline const model::requester hook_reader{"root", "", schema::Role::SERVER};

struct view_wanted {
  schema::sealed<schema::Request> request;  // a stat, with at.sequence
  // Called once, on any thread, with the position.
  std::function<void(hook_objects, std::uint64_t sequence)> done;
  bool or_later = false;  // at.sequence is the earliest position that will do
  model::requester by = hook_reader;
};

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::view_wanted)
