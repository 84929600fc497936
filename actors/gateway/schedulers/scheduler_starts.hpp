// Starts and ends schedulers, on the server's host and through the MoMs of others, as reactions order it and qterm -s wants it, and
// knows which are connected. What may block is done by helpers. Part of the gateway's actor.
// Governed by docs/design/0041-running-schedulers.md.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/hosts/mom_routes.hpp"
#include "actors/server/reactions/reaction.hpp"
#include "events/ports/scheduler_processes.hpp"

namespace annals::actors {

class scheduler_starts {
 public:
  scheduler_starts(actor_registry& board, mom_routes& moms);

  // -- connections of schedulers -----------------------------------------------------------------------------------------------
  void came(const std::string& name, const wire::connection_ptr& peer);
  // Empty: it is not connected.
  wire::connection_ptr connection_of(const std::string& name) const {
    const auto at = here_.find(name);
    return at == here_.end() ? nullptr : at->second;
  }
  // Why it is gone; nothing: another connection is the scheduler's.
  std::optional<std::string> went(const peer_closed& c);

  // -- orders of reactions -------------------------------------------------------------------------------------------------------
  void start(const reactions::start_scheduler& what, const reply_ptr& reply);
  void stop(const reactions::stop_scheduler& what, const reply_ptr& reply);
  void miss(const reactions::miss_scheduler& what, const reply_ptr& reply);

  // qterm -s: all that run end, and none is started any more. then: when they are gone, or have had their time.
  void stop_all(std::function<void()> then);

 private:
  void start_here(const reactions::start_scheduler& what, const reply_ptr& reply);
  void start_elsewhere(const reactions::start_scheduler& what, const reply_ptr& reply);
  void on_result(const reactions::start_scheduler& what, const ports::scheduler_start_result& result);
  void on_failed_elsewhere(const std::string& host, schema::SchedulerFailed::Reader failed);
  void not_started(const std::string& name, model::scheduler_not_started why);
  bool tell_to_end(const std::string& name);
  void end_here(const std::string& name, const std::string& priv, std::function<void()> then);
  void end_for_all(const std::string& name, const std::string& priv);
  void look_whether_all_ended();
  void done(const reply_ptr& reply) const { reply->done(board_.where().sequence(), ""); }

  actor_registry& board_;
  mom_routes& moms_;
  helper_pool helpers_;
  std::map<std::string, wire::connection_ptr> here_;  // by the scheduler's name
  std::set<std::string> told_to_end_;                 // and are still connected
  // A helper is about it, one start of each at a time: whether a process is still wanted of it.
  std::map<std::string, std::shared_ptr<std::atomic<bool>>> starting_;
  std::map<std::string, std::string> asked_;  // whose MoM was told to start it
  bool ending_ = false;
  std::size_t ending_here_ = 0;      // that helpers wait for
  std::function<void()> ended_all_;  // empty: nobody waits
};

}  // namespace annals::actors
