// The order of a run as it would be given now: what the job shows since the run was reduced stands in it. Its exec_vnode, exec_host and
// hosts stay those that were ordered; what the run has is its allocation (docs/design/0033-allocations-and-holdings.md).
#pragma once

#include "events/model/run/run.hpp"
#include "events/values/select.hpp"

namespace annals::model {

// Nothing: it is the order.
schema::sealed<schema::ToMom> order_now(const run_state& run);

// Which item of the select each chunk of what a run has was given for; its number of items: none, place=exclhost added it.
std::vector<std::size_t> items_by_chunk(const allocation& has, const values::select_spec& select);

// A chunk of the select for each chunk of what a run has, in its order; without cpus for one that place=exclhost added.
values::select_spec select_by_chunk(const allocation& has, const values::select_spec& select);

}  // namespace annals::model
