// What the rules of reservations share; part of events/model/reservation.
#pragma once

#include <cstdint>
#include <optional>

#include "events/model/limits.hpp"
#include "events/model/reservation/reservation.hpp"
#include "events/values/result.hpp"

namespace annals::model {

inline constexpr std::int64_t second_ns = 1'000'000'000;

// What an occurrence takes in the event that confirms it: its times, and for each chunk a vnode's name and what it gives. Where longer
// names make more of it, the answer is not taken. The rest of the event fits in event_room.
inline constexpr std::size_t occurrence_bytes = 32, occurrence_bytes_per_chunk = 100, event_room = 4096;
static_assert(limits::occurrences_ahead_max * (occurrence_bytes + occurrence_bytes_per_chunk) < limits::event_bytes_max - event_room);
static_assert(limits::occurrences_max * sizeof(std::uint32_t) < limits::event_bytes_max / 2);

std::size_t chunks_of(const attributes::attribute_set& a);
// For so many of its next occurrences it has places, if there is room.
std::size_t occurrences_ahead(const attributes::attribute_set& a);
// The time has come to ask for places for more.
bool needs_later(const reservation_state& r);
// So many come to those that it has.
std::uint32_t later_to_ask(const reservation_state& r);

struct given_times {
  std::optional<std::int64_t> start, end, duration;  // seconds
};
struct time_window {
  std::int64_t start_s = 0, end_s = 0;
};
// Two of the three are needed, and three must agree; it begins now or later.
values::result<time_window, rejection> window_of(const given_times& t, std::int64_t now_s);
// Those that an attribute set names; without a duration the walltime is one.
given_times times_of(const attributes::attribute_set& a);

outcome decide_submission(const submit_reservation& command, const stamp& now, const settings& settings);
outcome decide_answer(const reservation_state& r, const reservation_answer& answer, const stamp& now, const settings& settings);
outcome decide_alteration(const reservation_state& r, schema::AlterReservation::Reader asked, const stamp& now, const settings& settings);

}  // namespace annals::model
