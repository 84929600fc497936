// Tells a reservation which of its vnodes are not to be had: offline, down, gone, or taken by maintenance. Whether that degrades it, and
// what is done then, its own rules say (events/model/reservation/decide.cpp).
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "actors/server/reactions/all.hpp"
#include "events/log/place.hpp"
#include "events/model/reservation/reserved_vnodes.hpp"
#include "events/model/vnodes/holdings.hpp"

namespace annals::reactions {

namespace {

// An event costs a look at the reservations that it is about, or that have vnodes of its host. Maintenance is about all of them.
class degraded final : public stored_reaction<degraded> {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    const auto at = log::place_of(record);
    if (event.isHost()) {
      look_at_host(at.stream);
      vnodes_.apply(at, event.getHost());
      look_at_host(at.stream);
      host_changed_ = at.sequence;
      return !reservations_.empty();
    }
    if (!event.isReservation()) return false;
    auto& r = reservations_[at.stream];
    model::apply(r, at, event.getReservation());
    changed_ = at.sequence;
    reserved_.changed(r);
    to_look_at_.insert(at.stream);
    if (is_maintenance(r)) {
      maintenance_.insert(at.stream);
      look_at_all();
    }
    if (r.phase == model::reservation_phase::ended) forget(at.stream);
    return true;
  }

  std::vector<order_ptr> owed(const moment& at) override {
    for (const auto serial : std::exchange(to_look_at_, {})) {
      const auto& r = reservations_.at(serial);
      const bool counts = r.placed && r.lives();
      auto lost = counts ? lost_of(r) : model::reservation_lost();
      if (!counts || (lost.vnodes == r.lost && lost.in_conflict == r.in_conflict)) owed_.erase(serial);
      else owed_[serial] = std::move(lost);
    }
    std::vector<order_ptr> orders;
    for (const auto& [serial, lost] : owed_)
      orders.push_back(make_order({.cause = std::max(changed_, host_changed_),
                                   .target = "vnodes of " + reservations_.at(serial).id,
                                   .what = tell_reservation{serial, lost, {"root", at.settings.host_name, schema::Role::SERVER}}}));
    return orders;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    // not stored: maintenance_, reserved_, because they follow from reservations_
    // not stored: to_look_at_, owed_, because all are looked at anew
    io(self.reservations_, self.vnodes_, self.host_changed_, self.changed_);
  }
  // All of them are looked at anew.
  void restored() {
    maintenance_.clear();
    reserved_ = {};
    to_look_at_.clear();
    owed_.clear();
    for (const auto& [serial, r] : reservations_) {
      reserved_.changed(r);
      if (is_maintenance(r)) maintenance_.insert(serial);
    }
    look_at_all();
  }

 private:
  static bool is_maintenance(const model::reservation_state& r) { return r.kind == schema::ReservationKind::MAINTENANCE; }

  void look_at_host(std::uint64_t stream) {
    if (reservations_.empty()) return;  // a host with many vnodes costs nothing then
    const auto host = vnodes_.hosts().find(stream);
    if (host == vnodes_.hosts().end()) return;
    for (const auto& v : host->second.vnodes)
      if (const auto* serials = reserved_.of(v.name)) to_look_at_.insert(serials->begin(), serials->end());
  }
  void look_at_all() {
    for (const auto& [serial, r] : reservations_) to_look_at_.insert(serial);
  }
  void forget(std::uint64_t serial) {
    reservations_.erase(serial);
    maintenance_.erase(serial);
    owed_.erase(serial);
    to_look_at_.erase(serial);
  }

  bool is_lost(const std::string& name) const {
    const auto* host = vnodes_.host_of(name);
    const auto* vnode = host ? host->vnode(name) : nullptr;
    return !vnode || !model::base_state(*host, *vnode).empty();
  }

  // Whole hosts are taken, from whoever has reserved them at that time.
  void add_taken(const model::reservation_state& from, const model::occurrence& by, model::reservation_lost& lost) const {
    std::vector<std::string> taken;
    for (auto o = from.occurrences.begin() + from.over; o != from.occurrences.end(); ++o) {
      if (by.start_ns >= o->end_ns || o->start_ns >= by.end_ns) continue;
      if (taken.empty()) taken = model::vnodes_of(by.exec_vnode);
      for (auto& name : model::vnodes_of(o->exec_vnode)) {
        if (std::find(taken.begin(), taken.end(), name) == taken.end()) continue;
        lost.in_conflict = true;
        lost.vnodes.push_back(std::move(name));
      }
    }
  }

  model::reservation_lost lost_of(const model::reservation_state& r) const {
    model::reservation_lost lost;
    if (is_maintenance(r)) return lost;
    for (auto& name : model::vnodes_to_come(r))
      if (is_lost(name)) lost.vnodes.push_back(std::move(name));
    for (const auto serial : maintenance_) {
      const auto& m = reservations_.at(serial);
      if (!m.placed || !m.lives()) continue;
      for (auto o = m.occurrences.begin() + m.over; o != m.occurrences.end(); ++o) add_taken(r, *o, lost);
    }
    std::sort(lost.vnodes.begin(), lost.vnodes.end());
    lost.vnodes.erase(std::unique(lost.vnodes.begin(), lost.vnodes.end()), lost.vnodes.end());
    return lost;
  }

  std::map<std::uint64_t, model::reservation_state> reservations_;  // by serial
  std::set<std::uint64_t> maintenance_;                             // of these
  model::reserved_vnodes reserved_;
  std::set<std::uint64_t> to_look_at_;                     // something about them has changed
  std::map<std::uint64_t, model::reservation_lost> owed_;  // what they are to be told
  model::holdings vnodes_;                                 // of hosts alone
  std::uint64_t host_changed_ = 0;                         // sequence
  std::uint64_t changed_ = 0;                              // of the last record of a reservation: it may be maintenance
};

}  // namespace

std::unique_ptr<reaction> degraded_reservations() { return std::make_unique<degraded>(); }

}  // namespace annals::reactions
