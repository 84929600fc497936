// Which events may happen to a run, and what phase follows.
#include "events/model/run/run.hpp"

#include <algorithm>

#include "events/model/run/rules.hpp"

namespace annals::model {

using which = schema::RunEvent::Which;
using phase = run_phase;

namespace {

constexpr run_transition transitions[] = {
    {phase::none, which::RECEIVED, phase::received},
    {phase::received, which::PROGRAM_STARTING, phase::starting},
    {phase::received, which::REFUSED, phase::refused},
    {phase::received, which::HOOK_RAN, phase::received},
    {phase::starting, which::HOOK_RAN, phase::starting},
    {phase::received, which::HOOK_USED, phase::received},
    {phase::starting, which::HOOK_USED, phase::starting},
    {phase::started, which::HOOK_USED, phase::started},
    {phase::ended, which::HOOK_USED, phase::ended},
    {phase::received, which::FILES_STAGED_IN, phase::received},
    {phase::received, which::SISTERS_ASKED, phase::received},
    {phase::received, which::SISTER_JOINED, phase::received},
    {phase::received, which::SISTER_FAILED, phase::received},
    {phase::received, which::SISTER_LEFT, phase::received},
    {phase::received, which::JOIN_WAIT_ENDED, phase::received},
    {phase::received, which::DISCARDED, phase::received},
    {phase::starting, which::KILL_REQUESTED, phase::starting},
    {phase::received, which::REQUEST_RECEIVED, phase::received},
    {phase::starting, which::REQUEST_RECEIVED, phase::starting},
    {phase::starting, which::PROGRAM_STARTED, phase::started},
    {phase::starting, which::REFUSED, phase::refused},
    {phase::starting, which::DISCARDED, phase::starting},
    {phase::starting, which::SISTER_FAILED, phase::starting},
    {phase::starting, which::SISTER_LEFT, phase::starting},
    {phase::started, which::KILL_REQUESTED, phase::started},
    {phase::started, which::REQUEST_RECEIVED, phase::started},
    {phase::started, which::REQUEST_DONE, phase::started},
    {phase::ended, which::REQUEST_DONE, phase::ended},  // its checkpoint script ended it
    {phase::started, which::PROGRAM_ENDED, phase::ended},
    {phase::started, which::DISCARDED, phase::started},
    {phase::started, which::SISTER_FAILED, phase::started},
    {phase::started, which::SISTER_LEFT, phase::started},
    {phase::started, which::SISTERS_USED, phase::started},
    {phase::started, which::SISTERS_ASKED, phase::started},  // the primary's own part, for its first task
    {phase::started, which::SISTER_JOINED, phase::started},
    {phase::started, which::TASK_ASKED, phase::started},
    {phase::started, which::TASK_SETTLED, phase::started},
    {phase::ended, which::TASK_SETTLED, phase::ended},
    {phase::ended, which::SISTER_LEFT, phase::ended},
    {phase::refused, which::SISTER_LEFT, phase::refused},
    {phase::ended, which::SISTER_FAILED, phase::ended},
    {phase::refused, which::SISTER_FAILED, phase::refused},
    {phase::ended, which::OUTPUT_PLACED, phase::placed},
    {phase::ended, which::LEFT, phase::left},  // discarded: nobody wants the output
    {phase::ended, which::DISCARDED, phase::ended},
    {phase::placed, which::LEFT, phase::left},
    {phase::refused, which::LEFT, phase::left},
    {phase::refused, which::DISCARDED, phase::refused},
    {phase::started, which::KILL_SENT, phase::started},
    {phase::started, which::TERM_DELAY_ENDED, phase::started},
    {phase::started, which::KILL_DELAY_ENDED, phase::started},
    {phase::received, which::SISTER_AWAY, phase::received},
    {phase::starting, which::SISTER_AWAY, phase::starting},
    {phase::started, which::SISTER_AWAY, phase::started},
    {phase::ended, which::SISTER_AWAY, phase::ended},
    {phase::refused, which::SISTER_AWAY, phase::refused},
    {phase::received, which::SISTER_BACK, phase::received},
    {phase::starting, which::SISTER_BACK, phase::starting},
    {phase::started, which::SISTER_BACK, phase::started},
    {phase::ended, which::SISTER_BACK, phase::ended},
    {phase::refused, which::SISTER_BACK, phase::refused},
    {phase::received, which::TICKET_LAPSED, phase::received},
    {phase::received, which::TICKET_RENEWED, phase::received},
    {phase::received, which::PROLOGUE_ASKED, phase::received},
    {phase::received, which::SISTER_READY, phase::received},
    {phase::received, which::LAUNCH_WAIT_ENDED, phase::received},
    {phase::received, which::ALLOCATION_REDUCED, phase::received},
    {phase::started, which::ALLOCATION_REDUCED, phase::started},
    {phase::starting, which::ALLOCATION_REDUCED, phase::starting},
};

constexpr bool no_duplicate_rows() {
  for (std::size_t i = 0; i < std::size(transitions); ++i)
    for (std::size_t j = i + 1; j < std::size(transitions); ++j)
      if (transitions[i].from == transitions[j].from && transitions[i].event == transitions[j].event) return false;
  return true;
}
static_assert(no_duplicate_rows());  // one target per row: a run's phase follows from the event alone

}  // namespace

const run_transition* row_of(run_phase from, which event) {
  const auto* at = std::find_if(std::begin(transitions), std::end(transitions),
                                [&](const run_transition& t) { return t.from == from && t.event == event; });
  return at == std::end(transitions) ? nullptr : at;
}

std::span<const run_transition> run_transitions() { return transitions; }
bool may_happen(run_phase from, which event) { return row_of(from, event) != nullptr; }

}  // namespace annals::model
