// Waiting for processes and ending what they leave.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>

#include "actors/mom/host/job_cgroup.hpp"

namespace annals::shepherd {

// The signals we live by: children's ends, a MoM's requests, a MoM's order to stop. They stay blocked and are waited
// for.
sigset_t awaited_signals();

struct wake {
  enum kind : std::uint8_t { child,
                             request,
                             stop,
                             timeout } what = timeout;
  int signal = 0;  // of a request: what to send to the run
};
// Waits for at most this long (-1: for ever). Without `requests`, those stay queued for later.
wake wait_for_signal(std::int64_t timeout_ms, bool requests = true);

// Sends a signal to every descendant, parents first.
void signal_descendants(int signal);

// The process whose end is the program's end.
struct top_process {
  pid_t pid = 0;
  int status = 0;  // wait status, once it has ended
  bool ended = false;
};
// Reaps all that has ended, the top process among them. True when no child is left.
bool reap_ended(top_process& top);

// Nothing of the run survives: SIGTERM and, `term_ms` later (0: at once), SIGKILL until nothing is left.
// After 5 seconds of SIGKILL we give up on processes that hang in the kernel.
void end_descendants(top_process& top, std::int64_t term_ms);
// Who is in the cgroup but no descendant of ours is killed as well; the same patience.
void empty_cgroup(const mom::job_cgroup& cgroup, top_process& top);
// Gives what is left `grace_ms` to end by itself (a SIGTERM was sent); a request to kill, or to stop, ends the
// patience.
void let_descendants_end(top_process& top, std::int64_t grace_ms);

std::int64_t monotonic_ms();

}  // namespace annals::shepherd
