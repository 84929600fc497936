// Work done as the user by `pbs_shepherd as-user` processes, started and awaited on the loop's thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "actors/mom/host/child_process.hpp"
#include "actors/mom/host/event_loop.hpp"
#include "actors/mom/host/user_request.hpp"

namespace annals::mom {

class user_work {
 public:
  user_work(event_loop& loop, std::string shepherd) : loop_(loop), shepherd_(std::move(shepherd)) {}
  ~user_work();  // after the loop has stopped: processes that run go on

  // Nothing is heard of it.
  void run(const user_request& request);

  // `then` is called with the answer, or with nothing if the process died; not if false was returned (errno says why)
  // or stop() came first. One at a time for each name.
  bool ask(const std::string& name, const user_request& request, std::function<void(std::optional<user_answer>)> then);
  bool asking(const std::string& name) const { return asked_.contains(name); }
  // Kills the process and its children.
  void stop(const std::string& name);

  // Ends what an earlier MoM began: a process, and its children, that hold this file (copy_lock of the shepherd).
  static void end_holder(const std::string& file);

  // Takes the exit status of a child when it ends, and closes its pidfd.
  void reap_later(const child_process& child);

 private:
  struct question {
    child_process child;
    int out = -1;
    std::string answer;
    std::function<void(std::optional<user_answer>)> then;
  };
  std::optional<child_process> start(const user_request& request, int out);
  void read_answer(const std::string& name);
  void finish(std::map<std::string, question>::iterator at);

  event_loop& loop_;
  const std::string shepherd_;
  std::map<std::string, question> asked_;
};

}  // namespace annals::mom
