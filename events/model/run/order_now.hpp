// The order of a run as it would be given now: what the job shows since the run was reduced stands in it. Its exec_vnode, exec_host and
// hosts stay those that were ordered; what the run has is its allocation (docs/design/0033-allocations-and-holdings.md).
#pragma once

#include "events/model/run/run.hpp"

namespace annals::model {

// by_hooks: what hooks of this host made of it besides. Nothing: it is the order.
schema::sealed<schema::ToMom> order_now(const run_state& run, const std::vector<shown_value>& by_hooks = {});

// The order with other attributes in place of its own.
schema::sealed<schema::StartRun> order_with(schema::StartRun::Reader order, const std::vector<shown_value>& changes);

}  // namespace annals::model
