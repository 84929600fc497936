// The place that an operator names with qrun -H, in the words of JobAssigned. Pure; whether there is room is the ledger's
// business. Source: pbs guide, qrun, "exec_vnode, exec_host, node file".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/model/outcome.hpp"
#include "events/values/result.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

struct hand_placed {
  std::string exec_vnode, exec_host;
  std::vector<std::string> hosts;  // each once, primary first
};

// `named`: "(n1:ncpus=2)+(n2:mem=1gb)" as it is; "n1+n2": the job's chunks in their order, over the vnodes in theirs; "-": where
// the job was assigned before. Refuses unknown vnodes and what is no such text.
values::result<hand_placed, model::rejection> place_by_hand(const status& from, const model::job_state& job, std::string_view named);

}  // namespace annals::projections
