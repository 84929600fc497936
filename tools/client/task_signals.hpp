// Signals that a command hands on to the tasks it has started. They are blocked, but for the times it waits with mask(). A command that
// can't hand one on within limits::signal_patience_s is ended by it. docs/design/0022-task-manager.md.
#pragma once

#include <csignal>
#include <string>

namespace annals::client {

// One for a process.
class task_signals {
 public:
  explicit task_signals(const std::string& program);
  const sigset_t* mask() const { return &while_waiting_; }
  // The signal that came since it was last asked; 0: none.
  int taken();
  // Every signal that came was handed on: there is nothing to wait for any more.
  void settled();

 private:
  sigset_t while_waiting_{};
};

}  // namespace annals::client
