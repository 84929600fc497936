#include "projections/status/eligible_time.hpp"

#include "events/attributes/ids.hpp"
#include "events/model/job/routing.hpp"
#include "events/values/duration.hpp"

namespace annals::projections {

namespace {

void add_up(accrued_time& time, const model::job_state& job, std::int64_t seconds) {
  time.seconds = eligible_time_of(time, job).at(seconds);
}

}  // namespace

bool counts_eligible_time(const model::server_state& server) {
  return server.attributes.get(attributes::server::eligible_time_enable) == "True";
}

bool gives_eligible_time(schema::JobEvent::Reader event) {
  if (!event.isAltered()) return false;
  for (auto c : event.getAltered().getChanges())
    if (c.getName() == "eligible_time") return true;
  return false;
}

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

void accrue(accrued_time& time, const model::job_state& job, accrual what, std::int64_t seconds) {
  if (time.what == what) return;
  add_up(time, job, seconds);
  time.what = what;
  time.since_s = seconds;
}

void restart_accrual(accrued_time& time, std::int64_t seconds) { time.since_s = seconds; }

void clock_went_back(accrued_time& time, std::int64_t seconds) {
  if (time.since_s.value_or(0) > seconds) time.since_s = seconds;
}

void stop_accrual(accrued_time& time, const model::job_state& job, std::int64_t seconds) {
  if (time.what == accrual::initial) return;
  add_up(time, job, seconds);
  time.what = accrual::initial;
  time.since_s.reset();
}

eligible_time eligible_time_of(const accrued_time& time, const model::job_state& job) {
  eligible_time t;
  t.seconds = time.seconds ? *time.seconds : values::parse_duration(job.attribute(attributes::job::eligible_time)).value_or(0);
  if (time.what == accrual::eligible) t.since = time.since_s.value_or(0);
  return t;
}

bool accrual_changed_at(const accrued_time& time, std::int64_t seconds) {
  return time.what != accrual::initial && time.since_s == seconds;
}

}  // namespace annals::projections
