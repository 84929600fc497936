// Tells a reservation which of its vnodes are not to be had: offline, down, or gone. Whether that degrades it, and what is done then, its own
// rules say (events/model/reservation/decide.cpp).
#include <algorithm>
#include <map>

#include "actors/server/reactions/all.hpp"
#include "events/log/place.hpp"
#include "events/model/vnodes/holdings.hpp"

namespace annals::reactions {

namespace {

class degraded final : public reaction {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    const auto at = log::place_of(record);
    if (event.isHost()) {
      vnodes_.apply(at, event.getHost());
      host_changed_ = at.sequence;
      return !reservations_.empty();
    }
    if (!event.isReservation()) return false;
    auto& r = reservations_[at.stream];
    model::apply(r.state, at, event.getReservation());
    r.since = at.sequence;
    if (r.state.phase == model::reservation_phase::ended) reservations_.erase(at.stream);
    return true;
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    for (const auto& [serial, r] : reservations_) {
      if (!r.state.placed || !r.state.lives()) continue;
      model::reservation_lost lost{lost_of(r.state)};
      if (lost.vnodes == r.state.lost) continue;
      orders.push_back(make_order({.cause = std::max(r.since, host_changed_),
                                   .target = "vnodes of " + r.state.id,
                                   .what = tell_reservation{serial, std::move(lost), {"root", at.settings.host_name, schema::Role::SERVER}}}));
    }
    return orders;
  }

 private:
  struct reserved {
    model::reservation_state state;
    std::uint64_t since = 0;
  };

  bool is_lost(const std::string& name) const {
    const auto* host = vnodes_.host_of(name);
    const auto* vnode = host ? host->vnode(name) : nullptr;
    return !vnode || !model::base_state(*host, *vnode).empty();
  }

  std::vector<std::string> lost_of(const model::reservation_state& r) const {
    std::vector<std::string> lost;
    for (auto o = r.occurrences.begin() + r.over; o != r.occurrences.end(); ++o)
      for (auto& name : model::vnodes_of(o->exec_vnode))
        if (is_lost(name)) lost.push_back(std::move(name));
    std::sort(lost.begin(), lost.end());
    lost.erase(std::unique(lost.begin(), lost.end()), lost.end());
    return lost;
  }

  std::map<std::uint64_t, reserved> reservations_;  // by serial
  model::holdings vnodes_;                          // of hosts alone
  std::uint64_t host_changed_ = 0;
};

}  // namespace

std::unique_ptr<reaction> degraded_reservations() { return std::make_unique<degraded>(); }

}  // namespace annals::reactions
