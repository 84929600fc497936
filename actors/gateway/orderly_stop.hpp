// qterm and SIGTERM. At once (quick): the end is written and the process goes. Immediate and delay: that is written, and the server
// ends when the last run has left (actors/server/reactions/orderly_stop.cpp). Part of the gateway's actor.
#pragma once

#include <string>

#include "actors/gateway/actor_registry.hpp"

namespace annals::actors {

class orderly_stop {
 public:
  explicit orderly_stop(actor_registry& board) : board_(board) {}

  void on_shutdown(schema::Shutdown::Reader how, const model::requester& by, const reply_ptr& reply);
  void stop(const std::string& how);  // writes that the server stops, then lets the process end

 private:
  void wind_up(const std::string& how, const model::requester& by, const reply_ptr& reply);

  actor_registry& board_;
};

}  // namespace annals::actors
