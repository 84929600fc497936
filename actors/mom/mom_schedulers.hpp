// Schedulers on a MoM's host: the server has it start and end those whose sched_host it is. They outlive the MoM; where each has its
// sched_priv is kept in a file, so that one that this MoM did not start can be ended. Part of the MoM's actor.
// Governed by docs/design/0041-running-schedulers.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <functional>
#include <set>
#include <string>

#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/helper_pool.hpp"
#include "events/ports/scheduler_processes.hpp"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/daemon/to_mom.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

struct mom_schedulers_parts {
  ports::scheduler_processes* processes = nullptr;  // null: this MoM starts none
  std::string host;                                 // its name
  std::string directory;                            // mom_priv/schedulers
  daemon_log* notes = nullptr;
  bool detached = true;  // helpers have threads of their own (not in simulation)
};

class mom_schedulers {
 public:
  using answer = std::function<void(const schema::sealed<schema::FromMom>& message)>;
  mom_schedulers(caf::event_based_actor* self, mom_schedulers_parts parts, answer to_server);

  void start(schema::StartScheduler::Reader order);
  void stop(const std::string& name);

 private:
  void started(const std::string& name, const ports::scheduler_start_result& result);
  void note(std::uint32_t event, const std::string& name, const std::string& text) const {
    if (parts_.notes) parts_.notes->write(event, "Sched", name, text);
  }

  mom_schedulers_parts parts_;
  answer to_server_;
  helper_pool helpers_;
  std::set<std::string> starting_;  // a helper is about it
};

}  // namespace annals::actors
