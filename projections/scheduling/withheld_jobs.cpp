#include "projections/scheduling/withheld_jobs.hpp"

#include <algorithm>
#include <utility>

#include "events/model/job/failed_starts.hpp"

namespace annals::projections {

namespace {

bool failed_to_start(schema::JobRequeued::Reader event) { return model::fails_start(event.getExitStatus()) || event.getWaitUntil() > 0; }

bool may_begin_a_rest(schema::JobEvent::Reader event) { return event.isRequeued() || event.isSubjobLeft(); }
bool may_end_a_rest(schema::JobEvent::Reader event) { return event.isAssigned() || event.isSubjobBegan() || event.isEnded(); }

}  // namespace

withheld_jobs::withheld_jobs(const status& from, scheduling_projection& view) : from_(from), view_(view), looks_(from) {
  from_.each_in_memory([this](const model::job_state& job) {
    if (job.rests_until_ns > 0) look_at(job.serial, from_.wall_ns());
    return true;
  });
}

withheld_jobs::news withheld_jobs::folded(const log::record& record) {
  news out;
  const auto event = record.event();
  if (event.isHook()) {
    if (looks_.empty()) return out;
    for (const auto serial : looks_.ended(record)) out.given |= view_.give(serial);
  } else if (event.isJob()) {
    const auto of_job = event.getJob();
    if (may_begin_a_rest(of_job) || (may_end_a_rest(of_job) && resting_.contains(record.get().getStream()))) note_rest(record);
    out.is_looked_at = looks_.begins(record);
    if (out.is_looked_at) view_.hold_back(record.get().getStream());
  } else if (schema::is(event, schema::ServerEvent::STARTED)) {
    out.given = begin_anew();
  }
  return out;
}

// A server that starts waits for no hooks of jobs that came before (0023).
bool withheld_jobs::begin_anew() {
  for (const auto array : std::exchange(about_to_rest_, {})) look_at(array, from_.wall_ns());
  return give_up_looks();
}

bool withheld_jobs::give_up_looks() {
  bool given = false;
  for (const auto serial : looks_.give_up()) given |= view_.give(serial);
  return given;
}

// When a subjob did not start its array rests. How long is in a record of the array that follows in a moment; until then it begins no
// subjob.
void withheld_jobs::note_rest(const log::record& record) {
  const auto event = record.event().getJob();
  auto serial = record.get().getStream();
  if (event.isSubjobLeft()) about_to_rest_.erase(serial);
  if (event.isRequeued() && failed_to_start(event.getRequeued()))
    if (const auto job = from_.job(serial); job && job->is_subjob()) {
      const auto array = from_.array_of(*job);
      if (!array) return;
      serial = array->serial;
      about_to_rest_.insert(serial);
    }
  look_at(serial, record.get().getWallNs());
}

void withheld_jobs::look_at(std::uint64_t serial, std::int64_t now_ns) {
  if (const auto known = resting_.extract(serial)) by_time_.erase({known.mapped(), serial});
  const auto job = from_.job(serial);
  const bool rests = job && !job->is_subjob() && job->phase != model::job_phase::finished && model::rests(*job, now_ns);
  if (rests) {
    resting_[serial] = job->rests_until_ns;
    by_time_.emplace(job->rests_until_ns, serial);
  }
  if (rests || about_to_rest_.contains(serial)) view_.let_rest(serial);
  else view_.has_rested(serial);
}

withheld_jobs::over withheld_jobs::time_is(std::int64_t now_ns) {
  over out;
  while (!by_time_.empty() && by_time_.begin()->first <= now_ns) {
    const auto serial = by_time_.begin()->second;
    by_time_.erase(by_time_.begin());
    resting_.erase(serial);
    if (!about_to_rest_.contains(serial)) out.rested |= view_.has_rested(serial);
  }
  out.gave_up = !looks_.empty() && now_ns >= looks_.until_ns();
  if (out.gave_up) out.given = give_up_looks();
  return out;
}

std::optional<std::int64_t> withheld_jobs::next_ns() const {
  std::optional<std::int64_t> next;
  if (!by_time_.empty()) next = by_time_.begin()->first;
  if (!looks_.empty()) next = std::min(next.value_or(INT64_MAX), looks_.until_ns());
  return next;
}

}  // namespace annals::projections
