// job.release_nodes() of a script (RS-84 to RS-94): what a job is left with, by the one rule of events/model/vnodes/planned_release.hpp.
// MoMs answer with it, and pbs_python where there is no daemon.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "events/model/vnodes/planned_release.hpp"
#include "hooks-runtime/chain/payload.hpp"

namespace annals::hooks {

// Takes a line of a daemon's log, at a level of hooks-runtime/protocol/log_levels.hpp.
using line_taker = std::function<void(std::uint32_t level, const std::string& line)>;

model::shown_request shown_by(const hook_object& job);

// Where this is asked nobody knows the flags of custom resources: an exec_vnode says which are used up (the rule's header).
// `by`: the event of the hook. Nothing: it is not possible; the log is told why.
std::optional<model::planned_release> plan_release(protocol::ReleaseNodes::Reader asked, const model::release_from& from,
                                                   const std::string& by, const line_taker& log);

// The job as it is after the change.
void put(const model::allocation_change& change, hook_object& job);

}  // namespace annals::hooks
