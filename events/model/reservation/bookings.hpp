// Which vnodes reservations have at which time, so that no two are given the same, and that jobs keep to what is theirs. Part of the
// ledger: each reservation has a stream of its own, and a scheduler's answer may come after another's.
//
// Promises: what an event costs depends on the vnodes and the windows that it names and on what is booked there then, not on how many
// reservations there are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "events/model/reservation/open_windows.hpp"
#include "events/model/reservation/reservation.hpp"
#include "events/model/reservation/vnode_dates.hpp"
#include "events/model/vnodes/holdings.hpp"

namespace annals::model {

class bookings {
 public:
  // Whether the event may come next; `vnodes`: as they are before it. `born`: a reservation that begins with an event before it, and is
  // not applied yet.
  std::optional<rejection> check(const event_place& at, schema::ReservationEvent::Reader event, const holdings& vnodes,
                                 const reservation_state* born = nullptr) const;
  void apply(const event_place& at, schema::ReservationEvent::Reader event);

  // Whether a job of this queue may take this. In a reservation it begins only while the window is open, and on its vnodes, and together
  // its jobs have no more of a vnode than it has of what it asked for there; others, whom a scheduler starts, leave to an open window what
  // its jobs have not taken.
  struct run {
    std::string_view queue, exec_vnode;
    bool begins = true;        // false: it goes on
    bool by_scheduler = true;  // false: an operator says where (qrun -H)
  };
  using queue_of_job = std::function<std::string_view(std::uint64_t serial)>;
  std::optional<rejection> check_run(const run& r, const holdings& vnodes, const queue_of_job& queue_of) const;
  bool has_number(std::uint64_t number) const { return serial_of_number_.contains(number); }
  // The queue of a reservation whose open window is to begin later; nullptr: the event asks for no such thing.
  const std::string* put_off(const event_place& at, schema::ReservationEvent::Reader event) const;
  bool any_asks_for(std::string_view resource) const;  // or would with the change that it waits for
  bool operator==(const bookings& other) const { return reservations_ == other.reservations_; }
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.reservations_, self.serial_of_number_, self.count_of_user_, self.dates_, self.open_);
  }

 private:
  const reservation_state* of_stream(std::uint64_t serial, const reservation_state* born) const;
  const reservation_state* with_queue(std::string_view queue) const;
  std::optional<rejection> check_place(const reservation_state& whose, vnode_dates::span time, const vnode_amounts& place,
                                       std::string_view partition, const holdings& vnodes) const;
  std::optional<rejection> check_count(const event_place& at, schema::ReservationKind kind) const;
  std::optional<rejection> check_place_of_job(const event_place& at, schema::ReservationEvent::Reader event, const holdings& vnodes) const;
  std::optional<rejection> check_within(const reservation_state& whose, const run& r, const holdings& vnodes,
                                        const queue_of_job& queue_of) const;
  amounts not_taken(const open_windows::holder& of, const vnode_use& use, const queue_of_job& queue_of) const;
  double taken_beside(const reservation_state& whose, std::string_view vnode, const vnode_use& use, std::string_view resource,
                      const queue_of_job& queue_of) const;
  std::optional<rejection> check_beside(const run& r, const holdings& vnodes, const queue_of_job& queue_of) const;

  enum class change : std::uint8_t { book,
                                     free };
  void change_dates(const reservation_state& r, std::uint32_t from, std::uint32_t to, change what);  // of the occurrences from..to-1

  std::map<std::uint64_t, reservation_state> reservations_;  // by serial; those that have not ended
  // What follows from them, for who looks something up.
  std::unordered_map<std::uint64_t, std::uint64_t> serial_of_number_;
  std::map<std::string, std::size_t, std::less<>> count_of_user_;  // as limits::reservations_of_user_max has it
  vnode_dates dates_;                                              // of windows that are not over
  open_windows open_;
};

}  // namespace annals::model
