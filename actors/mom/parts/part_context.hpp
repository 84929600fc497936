// A host's part of a run as the classes that its actor is made of (part_actor.hpp) see it, and what they do through the actor. The actor
// owns this and them; all of it is used in the actor's turns only.
#pragma once

#include <caf/event_based_actor.hpp>

#include <functional>
#include <string>
#include <utility>

#include "actors/mom/mom_messages.hpp"
#include "events/model/part/part.hpp"

namespace annals::actors {

struct part_context {
  mom_parts parts;                                             // its settings are replaced when they are read again
  caf::event_based_actor* self;                                // the part's actor
  caf::actor mom;                                              // the MoM's
  values::run_key key;                                         // of the run
  const model::part_state& state;                              // as it is on disk
  std::function<void(envelope<model::part_command>)> receive;  // decides on it, in this turn or a later one
  std::function<void()> reconcile;                             // looks at what the state owes

  bool local() const { return state.primary == parts.settings->host; }  // the program runs here too
  void note(std::uint32_t level, const std::string& text) const { parts.note(level, state.job, text); }
  /// Nobody repeats the command: it waits while the disk is full.
  void command(model::part_command c, reply_ptr reply = nullptr) const {
    receive({std::move(c), {"pbs_mom", parts.settings->host, schema::Role::MOM}, {}, std::move(reply), nullptr, {}, 0, {}, {}, true});
  }
  /// Sent if the link is there, else dropped.
  template <class Fill>
  void tell_primary(Fill&& fill) const {
    self->send(mom, to_primary{state.primary, schema::make<schema::FromSister>(std::forward<Fill>(fill))});
  }
  void fill_ref(schema::RunRef::Builder ref) const { name_run(state, ref); }
};

}  // namespace annals::actors
