// Eligible time: how long a job could have run and waited for nothing but its turn (pbs guide: eligible time). Counted from the log alone,
// in whole seconds as PBS counts it, while the server's eligible_time_enable is true, beside the job's state: it is shown as the attributes
// accrue_type, eligible_time (up to the last change) and sample_starttime (that change). So it is known for any moment, now or past,
// without an event of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/model/job/job.hpp"
#include "events/model/server/server.hpp"

namespace annals::projections {

// accrue_type.
enum class accrual : std::uint8_t { initial,
                                    ineligible,  // held, waiting for a time or another job, kept back by a run limit
                                    eligible,
                                    running,
                                    exiting };

// The count of one job.
struct accrued_time {
  accrual what = accrual::initial;           // initial: nothing is counted, and there is no accrue_type
  std::optional<std::int64_t> since_s = {};  // when that began, since 1970
  std::optional<std::int64_t> seconds = {};  // eligible until then; nothing: as the job's own eligible_time says
  bool operator==(const accrued_time&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.what, self.since_s, self.seconds);
  }
};

bool counts_eligible_time(const model::server_state& server);
// The job is given another eligible time by hand.
bool gives_eligible_time(schema::JobEvent::Reader event);
// What the job accrues by its state. One that waits does so until a cycle says that a limit keeps it back.
accrual accrual_by_state(const model::job_state& job);
// From `seconds` (since 1970) on it accrues this; what it accrued before is added up.
void accrue(accrued_time& time, const model::job_state& job, accrual what, std::int64_t seconds);
// It was given another eligible time by hand, which counts from then on.
void restart_accrual(accrued_time& time, std::int64_t seconds);
// What began while the clock was ahead begins now.
void clock_went_back(accrued_time& time, std::int64_t seconds);
// Nothing is counted any more.
void stop_accrual(accrued_time& time, const model::job_state& job, std::int64_t seconds);

struct eligible_time {
  std::int64_t seconds = 0;  // as far as it was counted
  std::int64_t since = 0;    // and since when it grows, seconds since 1970; 0: it does not
  std::int64_t at(std::int64_t now) const { return seconds + (since != 0 && now > since ? now - since : 0); }
};
eligible_time eligible_time_of(const accrued_time& time, const model::job_state& job);
// Whether the accrual changed in this second.
bool accrual_changed_at(const accrued_time& time, std::int64_t seconds);

}  // namespace annals::projections
