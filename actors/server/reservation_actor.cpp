#include "actors/server/reservation_actor.hpp"

namespace annals::actors {

template class event_sourced_actor<reservation_aggregate>;
template class effect_running_actor<reservation_aggregate, model::reservation_wake>;

std::vector<model::reservation_wake> reservation_actor::owed() { return model::pending_effects(state(), settings()); }

begun reservation_actor::begin(const model::reservation_wake&) {
  send(this,
       envelope_type{model::reservation_time{}, {"root", settings().host_name, schema::Role::SERVER}, {}, nullptr, nullptr, {}, 0, {}});
  return begun::yes;
}

// Woken before the time had come, because the clock was set back: it waits once more.
void reservation_actor::after_turn() {
  if (stream() != 0) reconcile();
}

}  // namespace annals::actors
