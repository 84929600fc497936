// The actor system of a daemon: one thread per core, and work sharing or, in server, MoM and pbs_comm, the policy of docs/design/0027.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <thread>

#include "actors/runtime/next_first.hpp"

namespace annals::daemons {

struct caf_config : caf::actor_system_config {
  caf_config() {
    // Work stealing wakes 200 times a second per worker when idle; sharing sleeps.
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::max(1u, std::thread::hardware_concurrency()));
    set("scheduler.max-throughput", std::size_t{300});
  }
};

struct next_first_config : caf_config {
  next_first_config() {
    load<caf::scheduler::coordinator<actors::next_first>>();
    set("scheduler.max-throughput", std::size_t{16});  // what an actor was told waits for no more messages
  }
};

}  // namespace annals::daemons
