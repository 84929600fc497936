// Jobs whose starts fail: how often they were started, and whether they rest before they are started again. Pure.
#pragma once

#include <cstdint>

#include "events/attributes/ids.hpp"
#include "events/model/exit_codes.hpp"
#include "events/model/job/job.hpp"
#include "events/schema/event/job.capnp.h"
#include "events/values/number.hpp"

namespace annals::model {

// As its run_count shows: those that its owner gave it count too.
inline std::int64_t counted_starts(const job_state& job) {
  return values::parse_integer(job.attribute(attributes::job::run_count)).value_or(0);
}

// Not after the first failure: another host may do. A job whose files could not be staged in waits by itself, a subjob of it is its array's
// again, which has no such time.
inline bool rests_before_next_start(const job_state& job, schema::JobRequeued::Reader event) {
  const bool failed_again = is_failed_start(event.getExitStatus()) && counted_starts(job) > 1;
  return failed_again || (job.is_subjob() && event.getWaitUntil() > 0);
}

}  // namespace annals::model
