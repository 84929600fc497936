// Signals that a command hands on to the tasks it has started. They are blocked, but for the time it waits with mask().
#pragma once

#include <csignal>

namespace annals::client {

class task_signals {
 public:
  task_signals() {
    sigset_t ours;
    sigemptyset(&ours);
    struct sigaction take {};
    take.sa_handler = [](int number) { came() = number; };
    sigemptyset(&take.sa_mask);
    for (const int s : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
      sigaddset(&ours, s);
      sigaction(s, &take, nullptr);
    }
    sigprocmask(SIG_BLOCK, &ours, &while_waiting_);
    for (const int s : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) sigdelset(&while_waiting_, s);
    signal(SIGPIPE, SIG_IGN);
  }
  const sigset_t* mask() const { return &while_waiting_; }
  // The signal that came since it was last asked; 0: none.
  int taken() {
    const int number = came();
    came() = 0;
    return number;
  }

 private:
  static volatile std::sig_atomic_t& came() {
    static volatile std::sig_atomic_t number = 0;
    return number;
  }
  sigset_t while_waiting_{};
};

}  // namespace annals::client
