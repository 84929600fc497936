#include "tools/client/task_signals.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

#include "events/model/run/task_limits.hpp"

namespace annals::client {

namespace {

constexpr std::array handed_on = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

// What handlers of signals may use.
struct arrived {
  volatile std::sig_atomic_t number = 0, last = 0, patience = 0;
  std::string words;  // for the end
};

arrived& state() {
  static auto* one = new arrived;  // handlers may run while the process ends
  return *one;
}

void on_signal(int number) {
  auto& s = state();
  s.number = number;
  s.last = number;
  if (s.patience == 0) alarm(limits::signal_patience_s);
  s.patience = 1;
}

void on_patience_over(int) {
  const auto& s = state();
  if (write(2, s.words.data(), s.words.size()) < 0) _exit(128 + s.last);
  std::signal(s.last, SIG_DFL);
  sigset_t its;
  sigemptyset(&its);
  sigaddset(&its, s.last);
  sigprocmask(SIG_UNBLOCK, &its, nullptr);
  raise(s.last);
}

void take(int signal, void (*how)(int)) {
  struct sigaction action {};
  action.sa_handler = how;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

task_signals::task_signals(const std::string& program) {
  state().words = program + ": a signal could not be handed on to every task\n";
  sigset_t ours, patience;
  sigemptyset(&ours);
  sigemptyset(&patience);
  sigaddset(&patience, SIGALRM);
  for (const int s : handed_on) {
    sigaddset(&ours, s);
    take(s, on_signal);
  }
  take(SIGALRM, on_patience_over);
  sigprocmask(SIG_UNBLOCK, &patience, nullptr);  // whoever started us may have blocked it
  sigprocmask(SIG_BLOCK, &ours, &while_waiting_);
  for (const int s : handed_on) sigdelset(&while_waiting_, s);
  std::signal(SIGPIPE, SIG_IGN);
}

int task_signals::taken() {
  const int number = state().number;
  state().number = 0;
  return number;
}

void task_signals::settled() {
  if (state().patience == 0 || state().number != 0) return;
  alarm(0);
  state().patience = 0;
}

}  // namespace annals::client
