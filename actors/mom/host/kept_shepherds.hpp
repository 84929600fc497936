// Shepherds that have ended a run of a subjob and wait for the next one of the same array and user: that one costs no new process.
// docs/design/0004-shepherd.md.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/mom/host/child_process.hpp"
#include "actors/mom/host/event_loop.hpp"
#include "actors/mom/host/order_file.hpp"

namespace annals::mom {

// A shepherd that is ours to reap.
struct shepherd_process {
  child_process child;
  int files = -1;  // where it reads which file is next, closed by whoever owns this; -1: it takes one run only
};

// Whose shepherd may run this: all orders of one array with one identity have the same words. Empty: it gets one for itself.
std::string crew_of(const shepherd_order& order);

// Starts `shepherd` on a run file, so that it may be kept or not. Nothing: errno says why.
std::optional<shepherd_process> start_shepherd(const std::string& shepherd, const std::string& file, bool to_keep);

// On the loop's thread.
class kept_shepherds {
 public:
  // idle_max: as long one waits for its next run.
  kept_shepherds(event_loop& loop, std::chrono::milliseconds idle_max) : loop_(loop), idle_max_(idle_max) {}
  ~kept_shepherds();  // after the loop has stopped: they end by themselves
  kept_shepherds(const kept_shepherds&) = delete;
  kept_shepherds& operator=(const kept_shepherds&) = delete;

  // One that has nothing to do: it has been told of this file, if it still lives. Nothing: there is none.
  std::optional<shepherd_process> take(const std::string& crew, const std::string& file);
  // One with nothing to do that no signal was sent to. It ends when it was not taken for idle_max, or up to a second later.
  void keep(const std::string& crew, const shepherd_process& s);
  // It ends when its run has ended; one that was kept is reaped then.
  static void let_go(shepherd_process& s);

 private:
  struct idle {
    shepherd_process process;
    std::chrono::steady_clock::time_point since;
  };
  void ended(const std::string& crew, const child_process& child);
  void end_old();

  event_loop& loop_;
  const std::chrono::milliseconds idle_max_;
  std::map<std::string, std::vector<idle>> crews_;  // the one that waits longest first
  bool looking_ = false;                            // a timer is set
};

}  // namespace annals::mom
