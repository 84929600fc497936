// The actor system of a daemon: one thread per core, work sharing (pbs_server loads a policy of its own: docs/design/0027).
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <thread>

namespace annals::daemons {

struct caf_config : caf::actor_system_config {
  caf_config() {
    // Work stealing wakes 200 times a second per worker when idle; sharing sleeps.
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::max(1u, std::thread::hardware_concurrency()));
    set("scheduler.max-throughput", std::size_t{300});
  }
};

}  // namespace annals::daemons
