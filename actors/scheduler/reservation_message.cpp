#include "actors/scheduler/reservation_message.hpp"

namespace annals::actors {

schema::sealed<schema::FromScheduler> message_of(const cycle::reservation_answer& answer, std::uint64_t cycle) {
  return schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
    auto a = m.initReservation();
    a.setReservation(answer.reservation);
    a.setAsk(answer.ask);
    a.setCycle(cycle);
    if (answer.places.empty()) return a.setRefused(answer.refused);
    auto places = a.initConfirmed(static_cast<unsigned>(answer.places.size()));
    for (unsigned i = 0; i < places.size(); ++i) {
      const auto& place = answer.places[i];
      places[i].setIndex(place.when.index);
      places[i].setStartNs(place.when.start_ns);
      places[i].setEndNs(place.when.end_ns);
      places[i].setExecVnode(place.exec_vnode);
    }
    auto conflicts = a.initConflicts(static_cast<unsigned>(answer.conflicts.size()));
    for (unsigned i = 0; i < conflicts.size(); ++i) conflicts.set(i, answer.conflicts[i]);
  });
}

}  // namespace annals::actors
