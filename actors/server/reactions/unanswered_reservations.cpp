// Looks after questions of reservations that nobody can answer any more: the last scheduler that had not refused is gone, has lost its
// partition, or is off. The reservation's own rules say what becomes of it then (events/model/reservation/decide.cpp).
#include <map>

#include "actors/server/reactions/all.hpp"
#include "events/log/place.hpp"

namespace annals::reactions {

namespace {

class unanswered final : public stored_reaction<unanswered> {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    if (event.isScheduler() || schema::is(event, schema::ServerEvent::CHANGED)) {
      changed_ = record.sequence();
      return !reservations_.empty();
    }
    if (!event.isReservation()) return false;
    const auto at = log::place_of(record);
    auto& r = reservations_[at.stream];
    model::apply(r, at, event.getReservation());
    if (r.phase == model::reservation_phase::ended) reservations_.erase(at.stream);
    return true;
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    for (const auto& [serial, r] : reservations_)
      if (r.lives() && model::nobody_is_left_to_answer(r, at.settings))
        orders.push_back(make_order(
            {.cause = changed_,
             .target = "question of " + r.id,
             .what = tell_reservation{serial, model::reservation_time{}, {"root", at.settings.host_name, schema::Role::SERVER}}}));
    return orders;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.reservations_, self.changed_);
  }

 private:
  std::map<std::uint64_t, model::reservation_state> reservations_;  // by serial
  std::uint64_t changed_ = 0;                                       // last record of a scheduler or the server
};

}  // namespace

std::unique_ptr<reaction> unanswered_reservations() { return std::make_unique<unanswered>(); }

}  // namespace annals::reactions
