// Actors that run only when a test says so, one after the other and on the test's own thread, and a clock that stands still.
#pragma once

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "events/ports/clock.hpp"

namespace annals::test {

struct still_clock : ports::clock {
  std::int64_t ns = 1'795'222'000'000'000'000;  // until a test sets it
  std::int64_t now_ns() const override { return ns; }
};

// CAF's test scheduler takes in what the thread that made it wakes. What others wake, actors with threads of their own, waits
// until that thread takes it in, too.
class stepping_scheduler : public caf::scheduler::test_coordinator {
 public:
  using test_coordinator::test_coordinator;
  static caf::actor_system::module* make(caf::actor_system& of, caf::detail::type_list<>) { return new stepping_scheduler(of); }

  // False: there is nothing.
  bool take_in() {
    std::vector<caf::resumable*> woken;
    {
      const std::lock_guard held(guard_);
      woken.swap(woken_);
    }
    for (auto* one : woken) test_coordinator::enqueue(one);
    return !woken.empty();
  }
  // Until there is something to take in.
  void wait(std::chrono::steady_clock::time_point end) {
    std::unique_lock held(guard_);
    came_.wait_until(held, end, [&] { return !woken_.empty(); });
  }

 protected:
  void enqueue(caf::resumable* one) override {
    if (std::this_thread::get_id() == own_thread_) return test_coordinator::enqueue(one);
    const std::lock_guard held(guard_);
    woken_.push_back(one);
    came_.notify_all();
  }

 private:
  const std::thread::id own_thread_ = std::this_thread::get_id();
  std::mutex guard_;
  std::condition_variable came_;
  std::vector<caf::resumable*> woken_;
};

class stepped_system {
 public:
  stepped_system() {
    config_.load<stepping_scheduler>();
    system_ = std::make_unique<caf::actor_system>(config_);
  }
  caf::actor_system& actors() { return *system_; }
  caf::actor_system* operator->() { return system_.get(); }
  stepping_scheduler& scheduler() { return dynamic_cast<stepping_scheduler&>(system_->scheduler()); }
  // Until nobody has anything to do.
  void run() {
    do scheduler().run();
    while (scheduler().take_in());
  }
  // Runs also what other threads wake, until it is so; false: it took far too long.
  bool until(const std::function<bool()>& so) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (run(); !so(); run()) {
      if (std::chrono::steady_clock::now() >= end) return false;
      scheduler().wait(end);
    }
    return true;
  }
  // Kills them. A message that waits for its time holds its actor, and the system waits for its actors.
  void end(const std::vector<caf::actor>& actors) {
    for (const auto& a : actors) caf::anon_send_exit(a, caf::exit_reason::kill);
    const auto gone = [](const caf::actor& a) {
      return !a || caf::actor_cast<caf::abstract_actor*>(a)->getf(caf::abstract_actor::is_terminated_flag);
    };
    (void)until([&] {
      do scheduler().clock().cancel_all();
      while (scheduler().try_run_once());
      return std::ranges::all_of(actors, gone);
    });
  }

 private:
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
};

}  // namespace annals::test
