// The settings that rules consult, as the log says they are: a fold over the events of the server and of queues.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "events/model/queue/queue.hpp"
#include "events/model/server/server.hpp"
#include "events/model/settings.hpp"

namespace annals::model {

class settings_fold {
 public:
  // home: PBS_HOME at the server, which no event says.
  explicit settings_fold(std::string home = {}) : home_(std::move(home)) {}

  // True: the event was the server's or a queue's, and `site` is a new one.
  bool fold(const event_place& at, schema::Event::Reader event);
  const settings_ptr& settings() const { return settings_; }
  const server_state& server() const { return server_; }
  const std::map<std::uint64_t, queue_state>& queues() const { return queues_; }  // that exist, by stream

 private:
  void rebuild();

  std::string home_;
  server_state server_;
  std::map<std::uint64_t, queue_state> queues_;
  settings_ptr settings_ = std::make_shared<model::settings>();
};

}  // namespace annals::model
