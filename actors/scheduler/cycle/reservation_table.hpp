// The reservations that a scheduler sees: what each asks for, has and wants to know.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/scheduler/cycle/job_table.hpp"
#include "actors/scheduler/cycle/queue_table.hpp"
#include "actors/scheduler/cycle/request_book.hpp"
#include "actors/scheduler/cycle/reservation.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"

namespace annals::cycle {

struct reservation {
  std::uint64_t serial = 0;
  std::string id;
  schema::ReservationKind kind = schema::ReservationKind::ADVANCE;
  job asked;                                // what it asks for, as if it were a job
  std::vector<std::string> hosts, avoid;    // of maintenance; vnodes that it can't have
  std::vector<reservation_place> places;    // in order of time; none: not confirmed
  std::uint32_t running = 0;                // index of the occurrence that runs; 0: none
  std::uint64_t ask = 0;                    // what the server wants to know, 0: nothing,
  std::vector<reservation_window> wanted;   // and for when
  std::vector<reservation_place> promised;  // all it has by an answer of which the server has not spoken yet
  bool told = false;                        // there was an answer since the server has spoken
  const std::vector<reservation_place>& booked() const { return promised.empty() ? places : promised; }
  // What is booked when these are the places of their occurrences; the others keep theirs.
  std::vector<reservation_place> booked_with(const std::vector<reservation_place>& answered) const;
};

class reservation_table {
 public:
  reservation_table(queue_table& queues, request_book& requests) : queues_(queues), requests_(requests) {}

  // In the order submitted.
  auto begin() const { return reservations_.begin(); }
  auto end() const { return reservations_.end(); }
  bool empty() const { return reservations_.empty(); }
  // Whose queue the job is in; nullptr: of no reservation.
  const reservation* of(const job& j) const { return queues_[j.queue].reservation == 0 ? nullptr : find(queues_[j.queue].reservation); }
  // What was promised is kept until the server speaks about the reservation. While it asks, each cycle answers.
  void answered(const reservation_answer& answer);

  void apply(schema::SchedulingDelta::Reader delta);

 private:
  void apply(schema::SchedReservation::Reader row);
  void remove(std::uint64_t serial);
  const reservation* find(std::uint64_t serial) const;

  queue_table& queues_;
  request_book& requests_;
  std::vector<reservation> reservations_;
};

}  // namespace annals::cycle
