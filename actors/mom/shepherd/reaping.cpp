#include "actors/mom/shepherd/reaping.hpp"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "actors/mom/host/process_table.hpp"
#include "actors/mom/host/user_request.hpp"

namespace annals::shepherd {
namespace {

constexpr std::int64_t kill_repeat_ms =
    50;  // a process that forks while it is killed leaves a child for the next round
constexpr std::int64_t give_up_ms = 5000;
constexpr std::int64_t empty_look_ms = 5;

}  // namespace

sigset_t awaited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, mom::request_signal}) sigaddset(&set, s);
  return set;
}

wake wait_for_signal(std::int64_t timeout_ms, bool requests) {
  sigset_t set = awaited_signals();
  if (!requests) sigdelset(&set, mom::request_signal);
  const timespec limit{timeout_ms / 1000, (timeout_ms % 1000) * 1000000};
  siginfo_t info{};
  const int s = sigtimedwait(&set, &info, timeout_ms < 0 ? nullptr : &limit);
  if (s == SIGCHLD) return {wake::child, 0};
  if (s == SIGTERM) return {wake::stop, 0};
  if (s == mom::request_signal && info.si_code == SI_QUEUE) return {wake::request, info.si_value.sival_int};
  return {wake::timeout, 0};  // also SIGHUP and SIGINT: they are for others
}

void signal_descendants(int signal) {
  // A process that forks before it is stopped leaves a child behind that runs: looked for until all are stopped.
  constexpr int stop_rounds_max = 10;
  for (int round = 0; round < (signal == SIGSTOP ? stop_rounds_max : 1); ++round) {
    const auto table = mom::process_table::now();
    bool all_stopped = true;
    for (const auto* const p : table.descendants(getpid())) {
      all_stopped = all_stopped && (p->state == 'T' || p->state == 'Z');
      if (p->state != 'T' || signal != SIGSTOP) kill(static_cast<pid_t>(p->pid), signal);
    }
    if (all_stopped) return;
  }
}

bool reap_ended(top_process& top) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) return true;
    if (ended == 0) return false;
    if (ended != top.pid) continue;
    top.status = status;
    top.ended = true;
  }
}

void end_descendants(top_process& top, std::int64_t term_ms) {
  if (reap_ended(top)) return;
  if (term_ms > 0) signal_descendants(SIGTERM);
  const auto kill_from = monotonic_ms() + term_ms;
  while (!reap_ended(top)) {
    const auto now = monotonic_ms();
    if (now >= kill_from + give_up_ms) return;
    if (now >= kill_from) signal_descendants(SIGKILL);
    wait_for_signal(now >= kill_from ? kill_repeat_ms : kill_from - now);
  }
}

void empty_cgroup(const mom::job_cgroup& cgroup, top_process& top) {
  const auto until = monotonic_ms() + give_up_ms;
  while (!cgroup.kill() && monotonic_ms() < until) {
    wait_for_signal(empty_look_ms, false);
    reap_ended(top);
  }
}

void let_descendants_end(top_process& top, std::int64_t grace_ms) {
  const auto until = monotonic_ms() + grace_ms;
  while (!reap_ended(top)) {
    const auto left = until - monotonic_ms();
    if (left <= 0) return;
    const auto w = wait_for_signal(left);
    if (w.what == wake::stop) return;
    if (w.what != wake::request) continue;
    signal_descendants(w.signal);
    if (w.signal == SIGKILL) return;
  }
}

std::int64_t monotonic_ms() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1000 + t.tv_nsec / 1000000;
}

}  // namespace annals::shepherd
