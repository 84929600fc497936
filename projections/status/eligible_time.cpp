#include "projections/status/eligible_time.hpp"

#include "events/attributes/ids.hpp"
#include "events/model/job/routing.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"

namespace annals::projections {

namespace {

namespace ids = attributes::job;

std::int64_t number_of(const model::job_state& job, attributes::attribute_id id) {
  return values::parse_integer(job.attribute(id)).value_or(0);
}

accrual accrual_of(const model::job_state& job) { return static_cast<accrual>(number_of(job, ids::accrue_type)); }

void set_since(model::job_state& job, std::int64_t seconds) { job.attributes.set(ids::sample_starttime, std::to_string(seconds)); }

void add_up(model::job_state& job, std::int64_t seconds) {
  job.attributes.set(ids::eligible_time, values::print_duration(eligible_time_of(job).at(seconds)));
}

}  // namespace

accrual accrual_by_state(const model::job_state& job) {
  switch (model::state_letter(job)) {
    case 'Q': return model::in_routing_queue(job) ? accrual::ineligible : accrual::eligible;
    case 'S': return accrual::eligible;
    case 'B': return job.array->remaining.empty() ? accrual::ineligible : accrual::eligible;
    case 'R':
    case 'U': return accrual::running;  // it has its vnodes
    case 'E':
    case 'F': return accrual::exiting;
    default: return accrual::ineligible;
  }
}

void accrue(model::job_state& job, accrual what, std::int64_t seconds) {
  if (job.attributes.has(ids::accrue_type) && accrual_of(job) == what) return;
  add_up(job, seconds);
  job.attributes.set(ids::accrue_type, std::to_string(static_cast<int>(what)));
  set_since(job, seconds);
}

void restart_accrual(model::job_state& job, std::int64_t seconds) { set_since(job, seconds); }

void clock_went_back(model::job_state& job, std::int64_t seconds) {
  if (number_of(job, ids::sample_starttime) > seconds) set_since(job, seconds);
}

void stop_accrual(model::job_state& job, std::int64_t seconds) {
  if (!job.attributes.has(ids::accrue_type)) return;
  add_up(job, seconds);
  job.attributes.erase(ids::accrue_type);
  job.attributes.erase(ids::sample_starttime);
}

eligible_time eligible_time_of(const model::job_state& job) {
  eligible_time t;
  t.seconds = values::parse_duration(job.attribute(ids::eligible_time)).value_or(0);
  if (accrual_of(job) == accrual::eligible) t.since = number_of(job, ids::sample_starttime);
  return t;
}

bool accrual_changed_at(const model::job_state& job, std::int64_t seconds) {
  return job.attributes.has(ids::accrue_type) && number_of(job, ids::sample_starttime) == seconds;
}

}  // namespace annals::projections
