// Which vnodes reservations have at which time, so that no two are given the same. Part of the ledger: each reservation has a stream of its
// own, and a scheduler's answer may come after another's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "events/model/reservation/reservation.hpp"
#include "events/model/vnodes/holdings.hpp"

namespace annals::model {

class bookings {
 public:
  // Whether the event may come next; `vnodes`: as they are before it.
  std::optional<rejection> check(const event_place& at, schema::ReservationEvent::Reader event, const holdings& vnodes) const;
  void apply(const event_place& at, schema::ReservationEvent::Reader event);
  // Whether a job of this queue may run there: in a reservation only while its window is open, and on its vnodes.
  std::optional<rejection> check_run(std::string_view queue, std::string_view exec_vnode) const;
  bool has_number(std::uint64_t number) const;
  // The queue of a reservation whose open window is to begin later; nullptr: the event asks for no such thing.
  const std::string* put_off(const event_place& at, schema::ReservationEvent::Reader event) const;
  bool operator==(const bookings&) const = default;

 private:
  std::optional<rejection> check_place(const reservation_state& whose, schema::OccurrencePlace::Reader place, std::string_view partition,
                                       const holdings& vnodes) const;
  std::optional<rejection> check_place(const reservation_state& whose, const occurrence& place, std::string_view partition,
                                       const holdings& vnodes) const;
  std::optional<rejection> check_place_of_job(const event_place& at, schema::ReservationEvent::Reader event, const holdings& vnodes) const;

  std::map<std::uint64_t, reservation_state> reservations_;  // by serial; those that have not ended
};

}  // namespace annals::model
