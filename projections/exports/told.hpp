// Tables of single records, which need no other record: runs of hooks, refusals, and what was asked of jobs.
#pragma once

#include <cstdint>
#include <string_view>

#include "events/log/record.hpp"
#include "events/model/job/job.hpp"
#include "projections/exports/row.hpp"

namespace annals::exports {

void tell_hook_runs(const log::record& record, const row_taker& take);

struct refusal {
  const char* kind;
  std::string_view subject, reason, exec_vnode = {};
  std::uint64_t job = 0, cycle = 0;
  bool has_cycle = false, has_code = false;
  std::int32_t code = 0;
};
void tell_refusal(const log::record& record, const refusal& what, const row_taker& take);
// Those of the record that need nothing else to be known but the name of what its stream is about.
void tell_refusals(const log::record& record, std::string_view name, const row_taker& take);

// `job`: as the request left it.
void tell_job_requests(const model::event_place& at, schema::JobEvent::Reader event, const model::job_state& job, const row_taker& take);

}  // namespace annals::exports
