// Work done as the user by `pbs_shepherd as-user` processes, started and awaited on the loop's thread.
// docs/design/0025-staging.md.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/mom/host/child_process.hpp"
#include "actors/mom/host/event_loop.hpp"
#include "actors/mom/host/user_request.hpp"
#include "actors/mom/host/work_name.hpp"

namespace annals::mom {

class user_work {
 public:
  user_work(event_loop& loop, std::string shepherd) : loop_(loop), shepherd_(std::move(shepherd)) {}
  ~user_work();  // after the loop has stopped: processes that run go on

  using heard = std::function<void(std::optional<user_answer>)>;

  // Nothing is heard of it.
  void run(const user_request& request);

  // `then` is called with the answer, or with nothing if the process died; not if false was returned (errno says why)
  // or stop() came first. One at a time for each name.
  bool ask(const work_name& name, const user_request& request, heard then);
  // The same for work of a moment, which requests of one user share a process for: what comes while one works waits until that one has
  // ended, for a tenth of a second at most. `then` is called later unless stop() comes first; with nothing also if the process could not be
  // started, or was killed because stop() was called for another one of the same process.
  void ask_with_others(const work_name& name, const user_request& request, heard then);
  bool asking(const work_name& name) const { return asked_.contains(name) || waits(name); }
  // Kills the process and its children.
  void stop(const work_name& name);

  // Ends what an earlier MoM began: a process, and its children, that hold this file (copy_lock of the shepherd).
  static void end_holder(const std::string& file);

  // Takes the exit status of a child when it ends, and closes its pidfd.
  void reap_later(const child_process& child);

 private:
  struct question {
    work_name name;
    user_request request;
    heard then;
  };
  struct process {
    child_process child;
    int out = -1;
    std::string answers;             // that were not heard yet
    std::deque<question> open = {};  // in the order of the answers
  };
  using process_ptr = std::shared_ptr<process>;
  struct shared_work {
    user_request who;  // whose all of it is
    std::vector<question> waiting;
    process_ptr working;
  };

  std::optional<child_process> start(const std::string& requests, int out);
  process_ptr ask_all(std::vector<question>& questions);  // takes them; none: errno says why
  void ask_waiting(std::list<shared_work>::iterator user);
  bool waits(const work_name& name) const;
  void read_answers(process_ptr p);
  void finish(const process_ptr& p);
  void no_answers(std::deque<question> questions);
  void tell_unanswered();
  void next_after(const process_ptr& p);

  event_loop& loop_;
  const std::string shepherd_;
  std::set<process_ptr> processes_;
  std::map<work_name, process_ptr> asked_;
  std::deque<question> unanswered_;  // whose process died: they are about to hear it
  std::list<shared_work> shared_;    // of users of whom something is waiting or done
};

}  // namespace annals::mom
