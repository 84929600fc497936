// What of a job only its owner, operators and managers see: variables hold passwords and tokens. Others see of Variable_List what qsub
// puts in, PBS_O_*, and Submit_arguments up to the first -v, whose value may contain blanks. The server's show_other_variables True: all
// of it, as PBS shows it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/model/context.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

bool sees_all_of(const status& from, const model::job_state& job, const model::requester& by);
// The value of this attribute as others see it; most are seen whole. Nothing: it is not seen, as the key of an X display. `own` must
// outlive the answer, which may be `kept`.
std::optional<std::string_view> seen_by_others(attributes::attribute_id id, std::string_view own, std::string& kept);

}  // namespace annals::projections
