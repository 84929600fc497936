// What job.release_nodes() is answered with when there is no daemon: the job as the rule of the daemons leaves it
// (events/model/vnodes/reduce.hpp).
#pragma once

#include "hooks-runtime/chain/release.hpp"

namespace annals::hooks {

// `job`: as the event has it; `event`: vnode_list_fail of its parameters has failed. None if it can't be released, which is told.
void answer_release(protocol::ReleaseNodes::Reader asked, protocol::Object::Reader job, protocol::Request::Reader event,
                    const line_taker& log, protocol::Answer::Builder to);

}  // namespace annals::hooks
