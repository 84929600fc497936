// Carries out what a routing queue's reaction orders (actors/server/reactions/routing.cpp): asks one destination after the other whether it
// takes the job. Part of the gateway's actor.
#pragma once

#include <memory>
#include <string>

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/hooks/hook_routes.hpp"
#include "actors/server/reactions_actor.hpp"

namespace annals::actors {

class job_routing {
 public:
  job_routing(actor_registry& board, hook_routes& hooks) : board_(board), hooks_(hooks) {}
  // Refused: no destination takes the job now.
  void route(const reactions::route_job& what, give_order& given);

 private:
  struct tries;
  using tries_ptr = std::shared_ptr<tries>;
  void try_next(const tries_ptr& t);
  void move(const tries_ptr& t, const schema::sealed<schema::Request>& request, hook_runs runs);
  void answered(const tries_ptr& t, const model::rejection& why);
  void end(const tries_ptr& t);

  actor_registry& board_;
  hook_routes& hooks_;
};

}  // namespace annals::actors
