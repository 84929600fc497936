// Carries out what reactions order (actors/server/reactions): each kind of order in its way. Part of the gateway's actor.
#pragma once

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/hooks/hook_routes.hpp"
#include "actors/gateway/hosts/mom_routes.hpp"
#include "actors/gateway/jobs/job_routing.hpp"
#include "actors/gateway/jobs/order_crowd.hpp"
#include "actors/gateway/objects/reservation_routes.hpp"
#include "actors/gateway/orderly_stop.hpp"
#include "actors/gateway/schedulers/scheduler_starts.hpp"
#include "actors/server/reactions_actor.hpp"

namespace annals::actors {

class order_routes {
 public:
  order_routes(actor_registry& board, hook_routes& hooks, mom_routes& moms, mom_hook_routes& mom_hooks, scheduler_starts& schedulers,
               orderly_stop& stopping, reservation_routes& reservations, order_crowd& crowd)
      : board_(board),
        hooks_(hooks),
        moms_(moms),
        mom_hooks_(mom_hooks),
        schedulers_(schedulers),
        stopping_(stopping),
        reservations_(reservations),
        crowd_(crowd),
        routing_(board, hooks) {}

  void on_orders(give_orders& given);

 private:
  void carry_out(const reactions::tell_job& what, give_order& given);
  void carry_out(const reactions::run_looking_hooks& what, give_order& given);
  void carry_out(const reactions::run_periodic_hook& what, give_order& given);
  void carry_out(const reactions::run_provision_hook& what, give_order& given);
  void carry_out(const reactions::tell_vnode& what, give_order& given);
  void carry_out(const reactions::discard_run& what, give_order& given);
  void carry_out(const reactions::manage_object& what, give_order& given);
  void carry_out(const reactions::tell_reservation& what, give_order& given);
  void carry_out(const reactions::reserve_for_job& what, give_order& given) { reservations_.submit_for_owner(what.serial, given); }
  void carry_out(const reactions::route_job& what, give_order& given) { routing_.route(what, given); }
  void carry_out(const reactions::start_scheduler& what, give_order& given) { schedulers_.start(what, given.reply); }
  void carry_out(const reactions::stop_scheduler& what, give_order& given) { schedulers_.stop(what, given.reply); }
  void carry_out(const reactions::miss_scheduler& what, give_order& given) { schedulers_.miss(what, given.reply); }
  void carry_out(const reactions::send_hooks& what, give_order& given);
  void carry_out(const reactions::end_server& what, give_order& given);
  void done(const reply_ptr& reply) const { reply->done(board_.where().sequence(), ""); }

  actor_registry& board_;
  hook_routes& hooks_;
  mom_routes& moms_;
  mom_hook_routes& mom_hooks_;
  scheduler_starts& schedulers_;
  orderly_stop& stopping_;
  reservation_routes& reservations_;
  order_crowd& crowd_;
  job_routing routing_;
};

}  // namespace annals::actors
