// The settings that rules consult, as the log says they are: a fold over the events of the server and of queues.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "events/model/objects.hpp"
#include "events/model/site.hpp"

namespace annals::model {

class site_fold {
 public:
  // home: PBS_HOME at the server, which no event says.
  explicit site_fold(std::string home = {}) : home_(std::move(home)) {}

  // True: the event was the server's or a queue's, and `site` is a new one.
  bool fold(const event_place& at, schema::Event::Reader event);
  const site_ptr& site() const { return site_; }
  const server_state& server() const { return server_; }
  const std::map<std::uint64_t, queue_state>& queues() const { return queues_; }  // that exist, by stream

 private:
  void rebuild();

  std::string home_;
  server_state server_;
  std::map<std::uint64_t, queue_state> queues_;
  site_ptr site_ = std::make_shared<model::site>();
};

}  // namespace annals::model
