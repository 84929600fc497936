// qterm and SIGTERM. At once (quick): the end is written and the process goes. Immediate and delay: that is written, and the server
// ends when the last run has left (actors/server/reactions/orderly_stop.cpp). With qterm -s the schedulers end before it, with qterm -m
// the MoMs after them. Part of the gateway's actor.
#pragma once

#include <string>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/hosts/mom_routes.hpp"
#include "actors/gateway/schedulers/scheduler_starts.hpp"

namespace annals::actors {

class orderly_stop {
 public:
  orderly_stop(actor_registry& board, scheduler_starts& schedulers, mom_routes& moms)
      : board_(board), schedulers_(schedulers), moms_(moms) {}

  void on_shutdown(schema::Shutdown::Reader how, const model::requester& by, const reply_ptr& reply);
  void stop(const std::string& how);  // writes that the server stops, then lets the process end

 private:
  void wind_up(const std::string& how, const model::requester& by, const reply_ptr& reply);
  void end_moms(const std::string& how);
  void write_stop(const std::string& how);

  actor_registry& board_;
  scheduler_starts& schedulers_;
  mom_routes& moms_;
  bool ends_schedulers_ = false;  // qterm -s (MS-96)
  bool ends_moms_ = false;        // qterm -m
};

}  // namespace annals::actors
