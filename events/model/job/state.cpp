// What a job's state says of itself: attributes, letter, substate.
#include "events/model/job/job.hpp"

#include "events/attributes/ids.hpp"
#include "events/model/job/routing.hpp"
#include "events/model/job/rules.hpp"
#include "events/values/hold_set.hpp"

namespace annals::model {

namespace ids = attributes::job;
using phase = job_phase;

std::string_view job_state::attribute(attributes::attribute_id id, std::string_view resource) const {
  return attributes.get(id, resource).value_or(std::string_view());
}
std::string_view job_state::queue() const { return attribute(ids::queue); }
std::string_view job_state::owner() const { return attribute(ids::Job_Owner); }
std::string_view job_state::owner_name() const {
  const auto o = owner();
  return o.substr(0, o.find('@'));
}

char state_letter(const job_state& job) {
  switch (job.phase) {
    case phase::none: return 'T';
    case phase::queued: return job.array && !job.array->began.empty() ? 'B' : 'Q';
    case phase::held: return 'H';
    case phase::waiting: return 'W';
    case phase::assigned: return 'R';
    case phase::started: return job.busy_hosts.empty() ? 'R' : 'U';
    case phase::suspended: return 'S';
    case phase::exiting: return 'E';
    case phase::finished:
    case phase::forgotten: return 'F';
  }
  return '?';
}

namespace {

// pbs guide: substates.
int substate_of(const job_state& job) {
  switch (job.phase) {
    case phase::none: return 0;
    case phase::queued: return job.array && !job.array->began.empty() ? 70 : 10;
    case phase::held: return held_for_others(job) ? 22 : 20;
    case phase::waiting: return job.stage_in == job_stage_in::failed ? 37 : 30;
    case phase::assigned: return job.rerun_requested ? 60 : job.aborted                        ? 54
                                                        : job.provisioning()                   ? 71
                                                        : job.stage_in == job_stage_in::coming ? 15
                                                                                               : 41;
    case phase::started: return job.rerun_requested ? 60 : job.aborted   ? 54
                                                       : job.stopped()   ? 43
                                                       : job.usage_known ? 42
                                                                         : 41;
    case phase::suspended: return job.rerun_requested ? 60 : job.aborted     ? 54
                                                         : job.resume_wanted ? 45
                                                                             : 43;
    case phase::exiting: return 51;
    case phase::finished:
    case phase::forgotten: return 0;  // set by JobEnded
  }
  return 0;
}

}  // namespace

void refresh_shown(job_state& job, const event_place& at) {
  auto& a = job.attributes;
  const char letter = state_letter(job);
  a.set(ids::job_state, std::string_view(&letter, 1));
  if (!job.ended()) set_number(job, ids::substate, substate_of(job));
  a.set(ids::Hold_Types, values::print(values::hold_set{job.holds}));
  set_number(job, ids::mtime, at.seconds());
  if (job.phase == phase::queued && !in_routing_queue(job)) {
    if (!a.has(ids::etime)) set_number(job, ids::etime, at.seconds());
  } else if (job.phase <= phase::waiting) {
    a.erase(ids::etime);
  }
}

}  // namespace annals::model
