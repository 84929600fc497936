// Tells a reservation which of its vnodes are not to be had: offline, down, gone, or taken by maintenance. Whether that degrades it, and
// what is done then, its own rules say (events/model/reservation/decide.cpp).
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
    model::apply(r, at, event.getReservation());
    changed_ = at.sequence;
    if (r.phase == model::reservation_phase::ended) reservations_.erase(at.stream);
    return true;
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    for (const auto& [serial, r] : reservations_) {
      if (!r.placed || !r.lives()) continue;
      auto lost = lost_of(r);
      if (lost.vnodes == r.lost && lost.in_conflict == r.in_conflict) continue;
      orders.push_back(
          make_order({.cause = std::max(changed_, host_changed_),
                      .target = "vnodes of " + r.id,
                      .what = tell_reservation{serial, std::move(lost), {"root", at.settings.host_name, schema::Role::SERVER}}}));
    }
    return orders;
  }

 private:
  bool is_lost(const std::string& name) const {
    const auto* host = vnodes_.host_of(name);
    const auto* vnode = host ? host->vnode(name) : nullptr;
    return !vnode || !model::base_state(*host, *vnode).empty();
  }

  // Whole hosts are taken, from whoever has reserved them at that time.
  bool is_taken(const std::string& name, const model::reservation_state& from, const model::occurrence& when) const {
    for (const auto& [serial, m] : reservations_) {
      if (m.kind != schema::ReservationKind::MAINTENANCE || serial == from.serial || !m.placed || !m.lives()) continue;
      for (auto o = m.occurrences.begin() + m.over; o != m.occurrences.end(); ++o) {
        if (o->start_ns >= when.end_ns || when.start_ns >= o->end_ns) continue;
        const auto vnodes = model::vnodes_of(o->exec_vnode);
        if (std::find(vnodes.begin(), vnodes.end(), name) != vnodes.end()) return true;
      }
    }
    return false;
  }

  model::reservation_lost lost_of(const model::reservation_state& r) const {
    model::reservation_lost lost;
    for (auto o = r.occurrences.begin() + r.over; o != r.occurrences.end(); ++o)
      for (auto& name : model::vnodes_of(o->exec_vnode)) {
        const bool taken = r.kind != schema::ReservationKind::MAINTENANCE && is_taken(name, r, *o);
        lost.in_conflict |= taken;
        if (taken || (r.kind != schema::ReservationKind::MAINTENANCE && is_lost(name))) lost.vnodes.push_back(std::move(name));
      }
    std::sort(lost.vnodes.begin(), lost.vnodes.end());
    lost.vnodes.erase(std::unique(lost.vnodes.begin(), lost.vnodes.end()), lost.vnodes.end());
    return lost;
  }

  std::map<std::uint64_t, model::reservation_state> reservations_;  // by serial
  model::holdings vnodes_;                                          // of hosts alone
  std::uint64_t host_changed_ = 0;                                  // sequence
  std::uint64_t changed_ = 0;                                       // of the last record of a reservation: it may be maintenance
};

}  // namespace

std::unique_ptr<reaction> degraded_reservations() { return std::make_unique<degraded>(); }

}  // namespace annals::reactions
