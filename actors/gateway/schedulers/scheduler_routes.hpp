// What schedulers say, one of each name: who comes while another of its name is there is turned away (15230). Proposals go to their jobs
// (past the runjob hooks), the words of cycles to the scheduler's object, and what concerns the scheduling view to the query actor. Part
// of the gateway's actor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/hooks/hook_routes.hpp"
#include "actors/gateway/jobs/preemption_routes.hpp"
#include "actors/gateway/schedulers/scheduler_starts.hpp"

namespace annals::actors {

class scheduler_routes {
 public:
  scheduler_routes(actor_registry& board, hook_routes& hooks, scheduler_starts& starts)
      : board_(board), hooks_(hooks), starts_(starts), preemptions_(board) {}

  // winding_up: the server is about to stop, and nothing is run any more.
  void on_message(const wire::connection_ptr& peer, schema::sealed<schema::FromScheduler> message, bool winding_up);
  void on_closed(const peer_closed& c);
  void folded(const log::record& record);

 private:
  // Whether who says hello is the scheduler of its name from now on; else it is turned away.
  bool takes(const wire::connection_ptr& peer, schema::SchedHello::Reader hello);
  model::requester scheduler_itself() const { return {"Scheduler", board_.settings()->host_name, schema::Role::SCHEDULER}; }
  void turn_away(const wire::connection_ptr& peer, const model::rejection& why);
  static void refuse(const wire::connection_ptr& peer, const model::rejection& why);
  void tell_until_written(const std::string& name, const model::scheduler_command& command, const model::requester& by,
                          const std::function<bool()>& is_still_so);
  void hello(const wire::connection_ptr& peer, schema::SchedHello::Reader hello);
  void propose(const std::string& name, const schema::sealed<schema::FromScheduler>& message, bool winding_up);
  void answer_reservation(const std::string& name, const schema::sealed<schema::FromScheduler>& message);
  void note_refused(const std::string& name, const model::proposal_refused& what);
  void cycle_began(const caf::actor& object, const std::string& name, schema::sealed<schema::FromScheduler> message);

  actor_registry& board_;
  hook_routes& hooks_;
  scheduler_starts& starts_;
  preemption_routes preemptions_;
  // What was written last of a job's proposals since it ran last: the next cycle may well say the same again.
  struct refused_run {
    std::string scheduler, exec_vnode, why;
    bool operator==(const refused_run&) const = default;
  };
  std::map<std::uint64_t, refused_run> refused_;
  std::set<std::string> turned_away_;                       // names of which the log has a line, until the one that is there goes
  std::map<std::string, std::vector<std::byte>> policies_;  // of each scheduler's coming cycles
  std::set<std::string> stored_policies_;                   // hashes
};

}  // namespace annals::actors
