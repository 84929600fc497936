#include "actors/mom/host/verdict.hpp"

namespace annals::mom {
namespace {

// Exit codes of a MoM (pbs guide: MoM to server exit codes).
constexpr int unknown_end = -4;  // a rerunable job is queued again
constexpr int try_again = -3;

}  // namespace

verdict verdict_on(const run_journal& j, const circumstances& now) {
  const bool same_boot = j.claimed && j.claimed->boot == now.boot;
  // Only the claim is synced, and nothing of who may run again: after another boot, lines may be missing that were written.
  const bool maybe_begun = j.started || j.forking || (j.claimed && !same_boot);
  verdict v;
  v.may_have_left_processes = maybe_begun && same_boot;
  if (j.exited) {
    v.line = line_of(*j.exited);
  } else if (j.started) {
    const bool wall_known = same_boot && now.now_ms >= j.started->boottime_ms;
    v.line = line_of(journal_ended{unknown_end, now.cpu_ms, wall_known ? now.now_ms - j.started->boottime_ms : 0});
  } else if (maybe_begun) {
    v.line = line_of(journal_failed{unknown_end, "the shepherd died while it started the program"});
  } else if (j.claimed) {
    v.line = line_of(journal_failed{try_again, "the shepherd died before it started the program"});
  } else {
    v.line = line_of(journal_failed{try_again, now.why_not.empty() ? "the program was never begun" : now.why_not});
  }
  return v;
}

}  // namespace annals::mom
