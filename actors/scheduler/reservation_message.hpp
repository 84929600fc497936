// What a cycle answers about a reservation, as a message.
#pragma once

#include <cstdint>

#include "actors/scheduler/cycle/reservation.hpp"
#include "events/schema/daemon/from_scheduler.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

schema::sealed<schema::FromScheduler> message_of(const cycle::reservation_answer& answer, std::uint64_t cycle);

}  // namespace annals::actors
