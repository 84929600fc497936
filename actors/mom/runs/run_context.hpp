// The run as the classes that its actor is made of (run_actor.hpp) see it, and what they do through the actor. The actor owns this and
// them; all of it is used in the actor's turns only.
#pragma once

#include <caf/event_based_actor.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "actors/mom/mom_messages.hpp"
#include "actors/mom/runs/current_order.hpp"
#include "actors/mom/runs/run_timers.hpp"
#include "actors/mom/runs/start_lines.hpp"
#include "events/model/run/run.hpp"

namespace annals::actors {

struct run_context {
  mom_parts parts;                                            // its settings are replaced when they are read again
  caf::event_based_actor* self;                               // the run's actor; null only in tests of classes that ask nothing of it
  caf::actor mom;                                             // the MoM's
  values::run_key key;                                        // by which the host knows the run
  const model::run_state& state;                              // as it is on disk
  std::function<void(envelope<model::run_command>)> receive;  // decides on it, in this turn or a later one
  std::function<void()> reconcile;                            // looks at what the state owes
  std::function<void(std::int64_t at_ns)> look_again_at;      // looks again at this time, since 1970
  // Sent if the link is there, else dropped.
  std::function<void(schema::sealed<schema::FromMom>)> to_server;
  std::function<void(const std::string& host, schema::sealed<schema::ToSister>)> to_sister;
  current_order ordered = {};           // follows the state
  std::uint32_t usage_interval_s = 10;  // how often the server wants to hear of usage at most

  schema::StartRun::Reader order() const { return order_now().get().getStartRun(); }
  const schema::sealed<schema::ToMom>& order_now() const { return ordered.of(state); }
  start_lines lines() const { return {parts, state, waits_here(parts, state)}; }
  std::int64_t now_ns() const { return parts.base.clock->now_ns(); }
  void note(std::uint32_t level, const std::string& text) const { parts.note(level, state.job, text); }

  /// Nobody repeats the command: it waits while the disk is full.
  void command(model::run_command c, reply_ptr reply = nullptr) const {
    receive({std::move(c), {"pbs_mom", parts.settings->host, schema::Role::MOM}, {}, std::move(reply), nullptr, {}, 0, {}, {}, true});
  }
  /// The reply tells who asked why not, also that the disk is full.
  void ask(model::run_command c, reply_ptr reply) const {
    receive({std::move(c), {"pbs_mom", parts.settings->host, schema::Role::MOM}, {}, std::move(reply), nullptr, {}, 0, {}});
  }
  template <class Fill>
  void tell_server(Fill&& fill) const {
    to_server(schema::make<schema::FromMom>(std::forward<Fill>(fill)));
  }
  template <class Fill>
  void tell_sister(const std::string& host, Fill&& fill) const {
    to_sister(host, schema::make<schema::ToSister>(std::forward<Fill>(fill)));
  }
  void fill_ref(schema::RunRef::Builder ref) const { name_run(state, ref); }
};

}  // namespace annals::actors
