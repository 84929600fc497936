#include "projections/exports/run_story.hpp"

#include "events/model/job/job.hpp"
#include "events/schema/event.hpp"

namespace annals::exports {

using job_event = schema::JobEvent::Which;

namespace {

constexpr std::int64_t a_second = 1'000'000'000;

// What belongs to the job stays.
void begin_run(run_story& s, const model::event_place& at, schema::JobAssigned::Reader e) {
  run_story next;
  next.delete_requested_ns = s.delete_requested_ns;
  next.deleted_by = std::move(s.deleted_by);
  next.abort_reason = std::move(s.abort_reason);
  next.array_began_ns = s.array_began_ns;
  next.open = true;
  next.run = e.getRun();
  next.assigned_ns = at.wall_ns;
  next.scheduler = schema::str(e.getScheduler());
  next.hosts = e.getHosts().size();
  if (e.getHosts().size() > 0) next.first_host = schema::str(e.getHosts()[0]);
  s = std::move(next);
}

void suspend(run_story& s, const model::event_place& at, schema::VnodesReleased::Reader e) {
  if (e.getWhy() != schema::ReleaseReason::SUSPENDED) return;
  if (s.suspended_since_ns == 0) ++s.suspensions;
  s.suspended_since_ns = at.wall_ns;
  s.released = e.getAmountsOnly() ? schema::str(e.getExecVnode()) : std::string();
}

}  // namespace

// Accounting records have whole seconds, and a run's time is a difference of these.
std::int64_t run_story::suspended_until(std::int64_t ns) const {
  return suspended_s + (suspended_since_ns == 0 ? 0 : ns / a_second - suspended_since_ns / a_second);
}

void run_story::take(const model::event_place& at, schema::JobEvent::Reader event) {
  switch (event.which()) {
    case job_event::ASSIGNED: return begin_run(*this, at, event.getAssigned());
    case job_event::STARTED: program_ns = at.wall_ns; break;
    case job_event::START_FAILED:
      start_failed = true;
      failure_code = event.getStartFailed().getCode();
      failure_text = schema::str(event.getStartFailed().getText());
      break;
    case job_event::EXITED: exited_ns = at.wall_ns; break;
    case job_event::SUSPENDED: suspended_by = at.by.at_host(); break;
    case job_event::VNODES_RELEASED: return suspend(*this, at, event.getVnodesReleased());
    case job_event::RESUMED:
      suspended_s = suspended_until(at.wall_ns);
      suspended_since_ns = 0;
      break;
    case job_event::REDUCED:
      if (!model::ends_phase(event.getReduced())) break;
      ++phase;
      phase_since_ns = at.wall_ns;
      break;
    case job_event::REQUEUED: open = false; break;
    case job_event::SUBJOB_BEGAN:
      if (array_began_ns == 0) array_began_ns = at.wall_ns;
      break;
    default: break;
  }
}

}  // namespace annals::exports
