// What hooks of this host set of a job's resources_used, before it stands in the log of its run or part.
#pragma once

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>

#include <string>
#include <vector>

#include "actors/mom/mom_messages.hpp"
#include "events/model/usage.hpp"

namespace annals::actors {

// What can't be kept is left out, with a line in the log. What is there already is in it: only the actor that decides knows
// what is on its way to the log.
std::vector<model::usage_change> usage_to_keep(const mom_parts& parts, const std::string& job, const model::usage_set& set_so_far,
                                               std::vector<model::usage_change> wanted);

// To the run or part itself: what its hooks at `point` have set, and all before it, is on disk; or why it is not.
struct closing_usage_settled {
  hook_point point;
  std::string refused;
};
reply_ptr tell_when_settled(const caf::actor& who, hook_point point);
void note_not_kept(const mom_parts& parts, const std::string& job, const closing_usage_settled& s);

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::closing_usage_settled)
