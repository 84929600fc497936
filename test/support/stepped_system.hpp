// Actors that run only when a test says so, one after the other, and a clock that stands still.
#pragma once

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include "events/ports/clock.hpp"

namespace annals::test {

struct still_clock : ports::clock {
  std::int64_t now_ns() const override { return 1'795'222'000'000'000'000; }
};

class stepped_system {
 public:
  stepped_system() {
    config_.set("scheduler.policy", caf::atom("testing"));
    system_ = std::make_unique<caf::actor_system>(config_);
  }
  caf::actor_system& actors() { return *system_; }
  caf::actor_system* operator->() { return system_.get(); }
  caf::scheduler::test_coordinator& scheduler() { return dynamic_cast<caf::scheduler::test_coordinator&>(system_->scheduler()); }
  void run() { scheduler().run(); }  // until nobody has anything to do
  // Kills them. A message that waits for its time holds its actor, and the system waits for its actors.
  void end(const std::vector<caf::actor>& actors) {
    for (const auto& a : actors) caf::anon_send_exit(a, caf::exit_reason::kill);
    do scheduler().clock().cancel_all();
    while (scheduler().try_run_once());
  }

 private:
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
};

}  // namespace annals::test
