#include "actors/scheduler/cycle/reservation_table.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "events/schema/message.hpp"

namespace annals::cycle {

using schema::text;

namespace {

template <class List>
auto place_of(List& all, std::uint64_t serial) {
  return std::lower_bound(all.begin(), all.end(), serial, [](const reservation& r, std::uint64_t s) { return r.serial < s; });
}

bool in_order_of_time(const reservation_place& a, const reservation_place& b) { return a.when.start_ns < b.when.start_ns; }

}  // namespace

void reservation_table::apply(schema::SchedulingDelta::Reader delta) {
  for (const auto serial : delta.getReservationsGone()) remove(serial);
  for (const auto r : delta.getReservations()) apply(r);
}

void reservation_table::apply(schema::SchedReservation::Reader row) {
  remove(row.getSerial());
  reservation r;
  r.serial = row.getSerial();
  r.id = text(row.getId());
  r.kind = row.getKind();
  r.asked.id = r.id;
  r.asked.queue = queues_.at(text(row.getQueue()));
  r.asked.euser = text(row.getEuser());
  r.asked.egroup = text(row.getEgroup());
  r.asked.request = requests_.at({text(row.getSchedselect()), text(row.getPlace()), row.getResources()});
  r.hosts = schema::texts(row.getHosts());
  r.avoid = schema::texts(row.getAvoid());
  for (const auto p : row.getPlaces()) {
    std::string place(text(p.getExecVnode()));
    if (place.empty() && !r.places.empty()) place = r.places.back().exec_vnode;
    r.places.push_back({reservation_window{p.getIndex(), p.getStartNs(), p.getEndNs()}, std::move(place)});
  }
  std::sort(r.places.begin(), r.places.end(), in_order_of_time);
  r.running = row.getRunning();
  r.ask = row.getAsk();
  for (const auto w : row.getWanted()) r.wanted.push_back({w.getIndex(), w.getStartNs(), w.getEndNs()});
  const auto at = place_of(reservations_, r.serial);
  reservations_.insert(at, std::move(r));
}

void reservation_table::remove(std::uint64_t serial) {
  const auto at = place_of(reservations_, serial);
  if (at == reservations_.end() || at->serial != serial) return;
  requests_.release(at->asked.request);
  reservations_.erase(at);
}

const reservation* reservation_table::find(std::uint64_t serial) const {
  const auto at = place_of(reservations_, serial);
  return at == reservations_.end() || at->serial != serial ? nullptr : &*at;
}

void reservation_table::answered(const reservation_answer& answer) {
  const auto at = place_of(reservations_, answer.reservation);
  if (at == reservations_.end() || at->serial != answer.reservation) return;
  at->promised = at->booked_with(answer.places);
  at->told = true;
}

std::vector<reservation_place> reservation::booked_with(const std::vector<reservation_place>& answered) const {
  auto all = answered;
  std::unordered_set<std::uint32_t> anew;
  for (const auto& a : answered) anew.insert(a.when.index);
  for (const auto& p : booked())
    if (!anew.contains(p.when.index)) all.push_back(p);
  std::sort(all.begin(), all.end(), in_order_of_time);
  return all;
}

}  // namespace annals::cycle
