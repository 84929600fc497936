// The settings that rules consult, as the log says they are: a fold over the events of the server, of queues and of schedulers.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "events/model/queue/queue.hpp"
#include "events/model/scheduler/scheduler.hpp"
#include "events/model/server/server.hpp"
#include "events/model/settings.hpp"

namespace annals::model {

class settings_fold {
 public:
  // home: PBS_HOME at the server, which no event says.
  explicit settings_fold(std::string home = {}) : home_(std::move(home)) {}

  // True: `settings` is a new one. Of schedulers only their partitions count, and whether they are on.
  bool fold(const event_place& at, schema::Event::Reader event);
  const settings_ptr& settings() const { return settings_; }
  const server_state& server() const { return server_; }
  const std::map<std::uint64_t, queue_state>& queues() const { return queues_; }  // that exist, by stream
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    // not stored: home_, because who makes the fold says it
    // not stored: settings_, because they follow from the others
    io(self.server_, self.queues_, self.schedulers_);
  }
  void restored() { rebuild(); }

 private:
  bool fold_scheduler(const event_place& at, schema::SchedulerEvent::Reader event);
  void rebuild();

  std::string home_;
  server_state server_;
  std::map<std::uint64_t, queue_state> queues_;
  std::map<std::uint64_t, scheduler_state> schedulers_;  // by stream: who had a partition first keeps it
  settings_ptr settings_ = std::make_shared<model::settings>();
};

}  // namespace annals::model
