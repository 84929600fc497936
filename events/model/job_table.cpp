// The transition table of jobs: decide() consults it, apply() asserts it, docs/job_transitions.md is printed from it, and a
// test tries every pair that is not listed.
#include <algorithm>

#include "events/model/job_rules.hpp"

namespace annals::model {

using which = schema::Event::Which;
using phase = job_phase;

namespace {
constexpr job_transition transitions[] = {
    // from           event                          to
    {phase::none, which::JOB_QUEUED, phase::queued},
    {phase::none, which::JOB_QUEUED, phase::held},
    {phase::none, which::JOB_QUEUED, phase::waiting},
    {phase::queued, which::JOB_ALTERED, phase::queued},
    {phase::queued, which::JOB_ALTERED, phase::held},
    {phase::queued, which::JOB_ALTERED, phase::waiting},
    {phase::held, which::JOB_ALTERED, phase::held},
    {phase::held, which::JOB_ALTERED, phase::queued},
    {phase::held, which::JOB_ALTERED, phase::waiting},
    {phase::waiting, which::JOB_ALTERED, phase::waiting},
    {phase::waiting, which::JOB_ALTERED, phase::queued},
    {phase::waiting, which::JOB_ALTERED, phase::held},
    {phase::assigned, which::JOB_ALTERED, phase::assigned},
    {phase::started, which::JOB_ALTERED, phase::started},
    {phase::exiting, which::JOB_ALTERED, phase::exiting},
    {phase::queued, which::JOB_HELD, phase::held},
    {phase::queued, which::JOB_HELD, phase::queued},          // qhold -h n: only its comment stays
    {phase::waiting, which::JOB_HELD, phase::waiting},
    {phase::queued, which::JOB_RELEASED, phase::queued},      // a comment is taken off
    {phase::waiting, which::JOB_RELEASED, phase::waiting},
    {phase::held, which::JOB_HELD, phase::held},
    {phase::waiting, which::JOB_HELD, phase::held},
    {phase::assigned, which::JOB_HELD, phase::assigned},
    {phase::started, which::JOB_HELD, phase::started},
    {phase::held, which::JOB_RELEASED, phase::held},
    {phase::held, which::JOB_RELEASED, phase::queued},
    {phase::held, which::JOB_RELEASED, phase::waiting},
    {phase::assigned, which::JOB_RELEASED, phase::assigned},
    {phase::started, which::JOB_RELEASED, phase::started},
    {phase::waiting, which::JOB_WAIT_ENDED, phase::queued},
    {phase::held, which::JOB_WAIT_ENDED, phase::held},
    {phase::queued, which::JOB_ASSIGNED, phase::assigned},
    {phase::held, which::JOB_ASSIGNED, phase::assigned},      // qrun runs held and waiting jobs
    {phase::waiting, which::JOB_ASSIGNED, phase::assigned},
    {phase::assigned, which::JOB_STARTED, phase::started},
    {phase::assigned, which::JOB_START_FAILED, phase::exiting},
    {phase::assigned, which::USAGE_REPORTED, phase::assigned},
    {phase::started, which::USAGE_REPORTED, phase::started},
    {phase::assigned, which::FILES_STAGED_IN, phase::assigned},
    {phase::assigned, which::SISTERS_ASKED, phase::assigned},
    {phase::assigned, which::SISTER_JOINED, phase::assigned},
    {phase::assigned, which::SISTER_FAILED, phase::assigned},
    {phase::assigned, which::JOIN_WAIT_ENDED, phase::assigned},
    {phase::assigned, which::SISTER_LEFT, phase::assigned},
    {phase::started, which::FILES_STAGED_IN, phase::started},
    {phase::started, which::SISTERS_ASKED, phase::started},
    {phase::started, which::SISTER_JOINED, phase::started},
    {phase::started, which::SISTER_FAILED, phase::started},
    {phase::started, which::JOIN_WAIT_ENDED, phase::started},
    {phase::started, which::SISTER_LEFT, phase::started},
    {phase::suspended, which::FILES_STAGED_IN, phase::suspended},
    {phase::suspended, which::SISTERS_ASKED, phase::suspended},
    {phase::suspended, which::SISTER_JOINED, phase::suspended},
    {phase::suspended, which::SISTER_FAILED, phase::suspended},
    {phase::suspended, which::JOIN_WAIT_ENDED, phase::suspended},
    {phase::suspended, which::SISTER_LEFT, phase::suspended},
    {phase::queued, which::JOB_DELETE_REQUESTED, phase::queued},
    {phase::held, which::JOB_DELETE_REQUESTED, phase::held},
    {phase::waiting, which::JOB_DELETE_REQUESTED, phase::waiting},
    {phase::assigned, which::JOB_DELETE_REQUESTED, phase::assigned},
    {phase::started, which::JOB_DELETE_REQUESTED, phase::started},
    {phase::exiting, which::JOB_DELETE_REQUESTED, phase::exiting},
    {phase::finished, which::JOB_DELETE_REQUESTED, phase::finished},   // qdel -x of a history job
    {phase::assigned, which::JOB_RERUN_REQUESTED, phase::assigned},
    {phase::started, which::JOB_RERUN_REQUESTED, phase::started},
    {phase::exiting, which::JOB_RERUN_REQUESTED, phase::exiting},      // a hook of execjob_epilogue
    {phase::assigned, which::JOB_SIGNALLED, phase::assigned},
    {phase::started, which::JOB_SIGNALLED, phase::started},
    {phase::assigned, which::JOB_MESSAGED, phase::assigned},
    {phase::started, which::JOB_MESSAGED, phase::started},
    {phase::assigned, which::JOB_WISH_DONE, phase::assigned},
    {phase::started, which::JOB_WISH_DONE, phase::started},
    {phase::started, which::JOB_SUSPENDED, phase::suspended},
    {phase::suspended, which::JOB_ALTERED, phase::suspended},
    {phase::suspended, which::JOB_HELD, phase::suspended},
    {phase::suspended, which::JOB_RELEASED, phase::suspended},
    {phase::suspended, which::USAGE_REPORTED, phase::suspended},
    {phase::suspended, which::JOB_DELETE_REQUESTED, phase::suspended},
    {phase::suspended, which::JOB_RERUN_REQUESTED, phase::suspended},
    {phase::suspended, which::JOB_SIGNALLED, phase::suspended},
    {phase::suspended, which::JOB_MESSAGED, phase::suspended},
    {phase::suspended, which::JOB_WISH_DONE, phase::suspended},
    {phase::suspended, which::JOB_RESUME_WANTED, phase::suspended},
    {phase::suspended, which::JOB_RESUMED, phase::started},
    {phase::suspended, which::JOB_EXITED, phase::exiting},
    {phase::queued, which::JOB_MOVED, phase::queued},
    {phase::held, which::JOB_MOVED, phase::held},
    {phase::waiting, which::JOB_MOVED, phase::waiting},
    {phase::queued, which::JOB_REORDERED, phase::queued},
    {phase::held, which::JOB_REORDERED, phase::held},
    {phase::waiting, which::JOB_REORDERED, phase::waiting},
    {phase::assigned, which::JOB_EXITED, phase::exiting},
    {phase::started, which::JOB_EXITED, phase::exiting},
    {phase::exiting, which::OUTPUT_DELIVERED, phase::exiting},
    {phase::exiting, which::VNODE_HANDED_BACK, phase::exiting},
    {phase::exiting, which::JOB_REQUEUED, phase::queued},
    {phase::exiting, which::JOB_REQUEUED, phase::held},
    {phase::exiting, which::JOB_REQUEUED, phase::waiting},
    {phase::queued, which::JOB_ENDED, phase::finished},
    {phase::held, which::JOB_ENDED, phase::finished},
    {phase::waiting, which::JOB_ENDED, phase::finished},
    {phase::exiting, which::JOB_ENDED, phase::finished},
    {phase::finished, which::JOB_FORGOTTEN, phase::forgotten},
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

}  // namespace annals::model
