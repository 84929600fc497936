#include "actors/sessions/reservation_waits.hpp"

#include <algorithm>
#include <optional>

#include "events/model/waits.hpp"

namespace annals::actors {

namespace {

using state = schema::ReservationAnswer::State;

const model::reservation_state* find(const projections::status& now, const std::string& id) {
  for (const auto& [serial, r] : now.reservations())
    if (full_id(r, now.server().server_name) == id) return &r;
  return nullptr;
}

// Nothing: nobody knows yet.
std::optional<state> what_became(const reservation_wait& wait, const projections::status& now, std::int64_t now_ns) {
  const auto* r = find(now, wait.id);
  if (!r) return state::DENIED;
  if (wait.of_change && !r->change) return r->change_denied ? state::DENIED : state::CONFIRMED;
  if (!wait.of_change && r->placed && !now.awaits_its_queue(*r)) return state::CONFIRMED;
  if (!model::is_over(wait.since_ns, wait.until_ns, now_ns)) return std::nullopt;
  return wait.of_change ? state::ALTER_REQUESTED : state::UNCONFIRMED;
}

}  // namespace

schema::sealed<schema::Reply> reservation_reply(std::uint64_t request_id, std::uint64_t sequence, const std::string& id, state what) {
  return schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(request_id);
    r.setSequence(sequence);
    auto answer = r.initReservation();
    answer.setReservation(id);
    answer.setState(what);
  });
}

void reservation_waits::add(reservation_wait wait, const projections::status& now, std::int64_t now_ns) {
  // What is asked for again stays in hand: there is one of each reservation that is not, and a limit for reservations.
  if (std::ranges::none_of(waits_, [&](const auto& w) { return w.id == wait.id && w.of_change == wait.of_change; })) wait.to->set_aside();
  waits_.push_back(std::move(wait));
  look(now, now_ns);
}

void reservation_waits::look(const projections::status& now, std::int64_t now_ns) {
  std::erase_if(waits_, [&](const auto& wait) {
    if (!wait.to->unread_bytes()) return true;  // he is gone
    if (now.sequence() < wait.min_sequence) return false;
    const auto what = what_became(wait, now, now_ns);
    if (what) wait.to->send(reservation_reply(wait.request_id, now.sequence(), wait.id, *what));
    return what.has_value();
  });
}

}  // namespace annals::actors
