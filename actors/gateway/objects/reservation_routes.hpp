// What clients ask of reservations: hooks are asked first, then a submission makes one, and everything else goes to the one it
// names. Part of the gateway's actor.
#pragma once

#include "actors/gateway/actor_registry.hpp"
#include "actors/gateway/hooks/hook_routes.hpp"
#include "actors/server/reactions_actor.hpp"
#include "actors/server/reply_sink.hpp"

namespace annals::actors {

class reservation_routes {
 public:
  reservation_routes(actor_registry& board, hook_routes& hooks) : board_(board), hooks_(hooks) {}

  void submit(const wire::connection_ptr& peer, const schema::sealed<schema::Request>& request, const model::requester& by,
              const sink_ptr& to);
  // By an order of a reaction, as the job's owner would: refused, the server's log says why.
  void submit_for_owner(std::uint64_t job, give_order& given);
  void submit_for_job(const reservation_for_job& known);  // the query actor has said what job, or what hosts, it is about
  void remove(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply);
  void alter(const schema::sealed<schema::Request>& request, const model::requester& by, const sink_ptr& to);

 private:
  void ask_hooks(const reservation_for_job& known);
  void submit(const schema::sealed<schema::Request>& request, const reservation_for_job& known, hook_runs runs);
  void submit(model::submit_reservation command, const reservation_for_job& known, hook_runs runs);
  void alter(const schema::sealed<schema::Request>& request, const model::requester& by, const sink_ptr& to, hook_runs runs);
  std::uint64_t named(capnp::Text::Reader id) const;  // its serial; 0: there is none
  reply_ptr reply_for(const schema::sealed<schema::Request>& request, const sink_ptr& to, capnp::List<schema::Attribute>::Reader asked,
                      std::optional<std::uint64_t> number, std::function<void(const model::rejection&)> refused);
  void unknown(const reply_ptr& reply, capnp::Text::Reader id);

  actor_registry& board_;
  hook_routes& hooks_;
};

}  // namespace annals::actors
