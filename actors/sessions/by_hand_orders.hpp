// qrun, qorder and pbsfs -e: which jobs and entities they name is known to the status. They become requests to a scheduler, or commands for
// the jobs, which the gateway carries out. Part of the sessions. Governed by docs/design/0021-by-hand.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <functional>
#include <optional>
#include <string>

#include "actors/server/messages.hpp"
#include "actors/sessions/scheduler_session.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

class by_hand_orders {
 public:
  using find_session = std::function<scheduler_session&(const model::job_state&)>;  // of the scheduler whose job it is
  // `self`: the actor that this is part of.
  by_hand_orders(const projections::status& now, caf::event_based_actor* self, find_session session_for)
      : now_(now), self_(self), session_for_(std::move(session_for)) {}

  // Everything that it may ask about is folded.
  void carry_out(const by_hand& b);

 private:
  class then_the_rest;
  void run(const by_hand& b);
  void run_subjobs(const by_hand& b, const values::job_id& id);
  void run_one(const by_hand& b, const model::job_state& job, std::optional<std::uint32_t> subjob, std::string command_id, reply_ptr reply);
  bool is_of_a_known_array(capnp::Text::Reader job) const;
  void order(const by_hand& b);
  void trim(const by_hand& b);

  const projections::status& now_;
  caf::event_based_actor* self_;
  const find_session session_for_;
};

}  // namespace annals::actors
