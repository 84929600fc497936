// Accounting records of reservations: U, Y, B, K and k (pbs guide, "accounting").
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "events/model/reservation/reservation.hpp"

namespace annals::projections {

struct reservation_occasion {
  const model::reservation_state& reservation;  // as the event left it
  model::reservation_phase before;
  const model::event_place& at;
  schema::ReservationEvent::Reader event;
};
void write_records(const reservation_occasion& o, const std::function<void(std::int64_t wall_s, std::string_view line)>& take);

// The requestor of Y, and whether the event leads to one.
bool is_confirmed(const reservation_occasion& o);
std::string confirmed_by(const reservation_occasion& o);

std::string full_id(const model::reservation_state& r);  // "R5.borg"

}  // namespace annals::projections
