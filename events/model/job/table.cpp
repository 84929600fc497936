// The transition table of jobs: decide() consults it, apply() asserts it, docs/job_transitions.md is printed from it, and a
// test tries every pair that is not listed.
#include <algorithm>

#include "events/model/job/rules.hpp"

namespace annals::model {

using which = schema::JobEvent::Which;
using phase = job_phase;

namespace {
constexpr job_transition transitions[] = {
    // from           event                          to
    {phase::none, which::QUEUED, phase::queued},
    {phase::none, which::QUEUED, phase::held},
    {phase::none, which::QUEUED, phase::waiting},
    {phase::queued, which::ALTERED, phase::queued},
    {phase::queued, which::ALTERED, phase::held},
    {phase::queued, which::ALTERED, phase::waiting},
    {phase::held, which::ALTERED, phase::held},
    {phase::held, which::ALTERED, phase::queued},
    {phase::held, which::ALTERED, phase::waiting},
    {phase::waiting, which::ALTERED, phase::waiting},
    {phase::waiting, which::ALTERED, phase::queued},
    {phase::waiting, which::ALTERED, phase::held},
    {phase::assigned, which::ALTERED, phase::assigned},
    {phase::started, which::ALTERED, phase::started},
    {phase::exiting, which::ALTERED, phase::exiting},
    {phase::queued, which::HELD, phase::held},
    {phase::queued, which::HELD, phase::queued},  // qhold -h n: only its comment stays
    {phase::waiting, which::HELD, phase::waiting},
    {phase::queued, which::RELEASED, phase::queued},  // a comment is taken off
    {phase::waiting, which::RELEASED, phase::waiting},
    {phase::held, which::HELD, phase::held},
    {phase::waiting, which::HELD, phase::held},
    {phase::assigned, which::HELD, phase::assigned},
    {phase::started, which::HELD, phase::started},
    {phase::held, which::RELEASED, phase::held},
    {phase::held, which::RELEASED, phase::queued},
    {phase::held, which::RELEASED, phase::waiting},
    {phase::assigned, which::RELEASED, phase::assigned},
    {phase::started, which::RELEASED, phase::started},
    {phase::waiting, which::WAIT_ENDED, phase::queued},
    {phase::held, which::WAIT_ENDED, phase::held},
    {phase::queued, which::ASSIGNED, phase::assigned},
    {phase::held, which::ASSIGNED, phase::assigned},  // qrun runs held and waiting jobs
    {phase::waiting, which::ASSIGNED, phase::assigned},
    {phase::assigned, which::STARTED, phase::started},
    {phase::assigned, which::START_FAILED, phase::exiting},
    {phase::assigned, which::USAGE_REPORTED, phase::assigned},
    {phase::started, which::USAGE_REPORTED, phase::started},
    {phase::assigned, which::RUN_STEP, phase::assigned},
    {phase::started, which::RUN_STEP, phase::started},
    {phase::suspended, which::RUN_STEP, phase::suspended},
    {phase::assigned, which::REDUCED, phase::assigned},
    {phase::started, which::REDUCED, phase::started},
    {phase::exiting, which::REDUCED, phase::exiting},  // release_nodes_on_stageout
    {phase::queued, which::DELETE_REQUESTED, phase::queued},
    {phase::held, which::DELETE_REQUESTED, phase::held},
    {phase::waiting, which::DELETE_REQUESTED, phase::waiting},
    {phase::assigned, which::DELETE_REQUESTED, phase::assigned},
    {phase::started, which::DELETE_REQUESTED, phase::started},
    {phase::exiting, which::DELETE_REQUESTED, phase::exiting},
    {phase::finished, which::DELETE_REQUESTED, phase::finished},  // qdel -x of a history job
    {phase::assigned, which::RERUN_REQUESTED, phase::assigned},
    {phase::started, which::RERUN_REQUESTED, phase::started},
    {phase::exiting, which::RERUN_REQUESTED, phase::exiting},  // a hook of execjob_epilogue
    {phase::assigned, which::SIGNALLED, phase::assigned},
    {phase::started, which::SIGNALLED, phase::started},
    {phase::assigned, which::MESSAGED, phase::assigned},
    {phase::started, which::MESSAGED, phase::started},
    {phase::assigned, which::REQUEST_DONE, phase::assigned},
    {phase::started, which::REQUEST_DONE, phase::started},
    {phase::started, which::SUSPENDED, phase::suspended},
    {phase::suspended, which::ALTERED, phase::suspended},
    {phase::suspended, which::HELD, phase::suspended},
    {phase::suspended, which::RELEASED, phase::suspended},
    {phase::suspended, which::USAGE_REPORTED, phase::suspended},
    {phase::suspended, which::DELETE_REQUESTED, phase::suspended},
    {phase::suspended, which::RERUN_REQUESTED, phase::suspended},
    {phase::suspended, which::SIGNALLED, phase::suspended},
    {phase::suspended, which::MESSAGED, phase::suspended},
    {phase::suspended, which::REQUEST_DONE, phase::suspended},
    {phase::suspended, which::RESUME_WANTED, phase::suspended},
    {phase::suspended, which::RESUMED, phase::started},
    {phase::suspended, which::EXITED, phase::exiting},
    {phase::queued, which::MOVED, phase::queued},
    {phase::held, which::MOVED, phase::held},
    {phase::waiting, which::MOVED, phase::waiting},
    {phase::assigned, which::MOVED, phase::assigned},  // a reservation takes the run over
    {phase::started, which::MOVED, phase::started},
    {phase::suspended, which::MOVED, phase::suspended},
    {phase::queued, which::REORDERED, phase::queued},
    {phase::held, which::REORDERED, phase::held},
    {phase::waiting, which::REORDERED, phase::waiting},
    {phase::assigned, which::EXITED, phase::exiting},
    {phase::started, which::EXITED, phase::exiting},
    {phase::exiting, which::OUTPUT_DELIVERED, phase::exiting},
    {phase::exiting, which::VNODES_RELEASED, phase::exiting},
    {phase::assigned, which::VNODES_RELEASED, phase::assigned},  // a part that the run goes on without
    {phase::started, which::VNODES_RELEASED, phase::started},
    {phase::suspended, which::VNODES_RELEASED, phase::suspended},  // what it does without meanwhile
    {phase::started, which::VNODES_TAKEN, phase::started},         // it has been resumed
    {phase::exiting, which::REQUEUED, phase::queued},
    {phase::exiting, which::REQUEUED, phase::held},
    {phase::exiting, which::REQUEUED, phase::waiting},
    {phase::queued, which::ENDED, phase::finished},
    {phase::held, which::ENDED, phase::finished},
    {phase::waiting, which::ENDED, phase::finished},
    {phase::exiting, which::ENDED, phase::finished},
    {phase::finished, which::FORGOTTEN, phase::forgotten},
    // Of a subjob: when it is to run again it is its array's.
    {phase::queued, which::FORGOTTEN, phase::forgotten},
    {phase::held, which::FORGOTTEN, phase::forgotten},
    {phase::waiting, which::FORGOTTEN, phase::forgotten},
    // Of an array.
    {phase::queued, which::SUBJOB_BEGAN, phase::queued},
    {phase::queued, which::SUBJOB_LEFT, phase::queued},
    {phase::queued, which::SUBJOBS_ASKED, phase::queued},
    {phase::held, which::SUBJOB_BEGAN, phase::held},
    {phase::held, which::SUBJOB_LEFT, phase::held},
    {phase::held, which::SUBJOBS_ASKED, phase::held},
    {phase::waiting, which::SUBJOB_BEGAN, phase::waiting},
    {phase::waiting, which::SUBJOB_LEFT, phase::waiting},
    {phase::waiting, which::SUBJOBS_ASKED, phase::waiting},
};

constexpr bool no_duplicate_rows() {
  for (std::size_t i = 0; i < std::size(transitions); ++i)
    for (std::size_t j = i + 1; j < std::size(transitions); ++j)
      if (transitions[i].from == transitions[j].from && transitions[i].event == transitions[j].event &&
          transitions[i].to == transitions[j].to)
        return false;
  return true;
}
constexpr bool all_phases_reachable() {
  for (int p = 1; p < job_phase_count; ++p)
    if (std::none_of(std::begin(transitions), std::end(transitions),
                     [p](const job_transition& t) { return static_cast<int>(t.to) == p; }))
      return false;
  return true;
}
static_assert(no_duplicate_rows() && all_phases_reachable());

}  // namespace

std::span<const job_transition> job_transitions() { return transitions; }

bool may_happen(phase from, which event) {
  return std::any_of(std::begin(transitions), std::end(transitions),
                     [&](const job_transition& t) { return t.from == from && t.event == event; });
}

bool leads_to(phase from, which event, phase to) {
  return std::any_of(std::begin(transitions), std::end(transitions),
                     [&](const job_transition& t) { return t.from == from && t.event == event && t.to == to; });
}

namespace {

phase unstarted_phase(const job_state& job) {
  if (job.holds != 0) return phase::held;
  return job.wait_over ? phase::queued : phase::waiting;
}

}  // namespace

job_phase phase_after(const job_state& job, which event) {
  switch (event) {
    case which::QUEUED:
    case which::REQUEUED: return unstarted_phase(job);
    case which::ALTERED:
    case which::HELD:
    case which::RELEASED:
    case which::WAIT_ENDED:
      return job.phase <= phase::waiting ? unstarted_phase(job) : job.phase;
    case which::SUSPENDED: return phase::suspended;
    case which::RESUMED: return phase::started;
    case which::ASSIGNED: return phase::assigned;
    case which::STARTED: return phase::started;
    case which::EXITED:
    case which::START_FAILED: return phase::exiting;
    case which::ENDED: return phase::finished;
    case which::FORGOTTEN: return phase::forgotten;
    case which::RUN_STEP:
    case which::REDUCED:
    case which::USAGE_REPORTED:
    case which::DELETE_REQUESTED:
    case which::RERUN_REQUESTED:
    case which::SIGNALLED:
    case which::MESSAGED:
    case which::RESUME_WANTED:
    case which::REQUEST_DONE:
    case which::OUTPUT_DELIVERED:
    case which::VNODES_TAKEN:
    case which::VNODES_RELEASED:
    case which::MOVED:
    case which::REORDERED:
    case which::SUBJOB_BEGAN:
    case which::SUBJOB_LEFT:
    case which::SUBJOBS_ASKED: return job.phase;
  }
  return job.phase;
}

}  // namespace annals::model
