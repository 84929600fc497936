// One reservation. The rules are in events/model/reservation; here its windows and deadlines wake it.
#pragma once

#include "actors/runtime/effect_running_actor.hpp"
#include "actors/server/aggregates.hpp"

namespace annals::actors {

// Compiled once, in reservation_actor.cpp.
extern template class event_sourced_actor<reservation_aggregate>;
extern template class effect_running_actor<reservation_aggregate, model::reservation_wake>;

class reservation_actor : public effect_running_actor<reservation_aggregate, model::reservation_wake> {
 public:
  using effect_running_actor::effect_running_actor;

 protected:
  std::vector<model::reservation_wake> owed() override;
  begun begin(const model::reservation_wake& effect) override;
  effect_time when(const model::reservation_wake& effect) const override { return {effect.wall_ns, 0, effect.since_ns}; }
  void after_turn() override;
};

}  // namespace annals::actors
