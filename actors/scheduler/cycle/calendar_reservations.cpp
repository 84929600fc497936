// Confirmed reservations in the calendar: what they have booked, and whether one can have a place.
#include <algorithm>
#include <utility>

#include "actors/scheduler/cycle/calendar.hpp"

namespace annals::cycle {

namespace {

constexpr moment over = INT64_MIN;  // the end of a booking that is nobody's any more

}  // namespace

const calendar::running_place* calendar::running(std::uint64_t reservation) const {
  if (reservation == 0) return nullptr;
  const auto at = running_.find(reservation);
  return at == running_.end() ? nullptr : &at->second;
}

bool calendar::is_shared(index vnode_at, std::uint64_t reservation) const {
  const auto* dates = booked_on(vnode_at);
  if (!dates) return false;
  const moment until = running(reservation)->end;
  for (const auto& h : dates->holds) {
    if (bookings_[h.booking].start >= until) break;
    if (meets(h.booking, now_, until, {reservation})) return true;
  }
  return false;
}

const reserved_space& calendar::needed_beside(std::uint64_t reservation) {
  const auto& place = *running(reservation);
  return reserved_for(place.what, now_, place.end, reservation);
}

// Maintenance has its vnodes for itself, however they are shared.
claim calendar::claim_for(const reservation& r, const std::string& exec_vnode) const {
  claim c = view_.claims().claim_of(exec_vnode, jobs_.request_of(r.asked));
  if (r.kind == schema::ReservationKind::MAINTENANCE)
    for (auto& t : c.vnodes) t.exclusive = true;
  return c;
}

void calendar::book_all() {
  for (const reservation& r : view_.reservations()) book(r, r.booked());
  find_ends();
  enter_from(0);
  if (running_.empty()) return;
  for (const auto& e : ends_) hold_within(e.job);
}

// Occurrences are mostly at one place: its text is read once.
void calendar::book(const reservation& r, const std::vector<reservation_place>& places) {
  const std::string* text = nullptr;
  std::shared_ptr<const claim> what;
  for (const auto& p : places) {
    if (p.when.end() <= now_) continue;
    if (!text || *text != p.exec_vnode) what = std::make_shared<const claim>(claim_for(r, p.exec_vnode));
    text = &p.exec_vnode;
    const bool runs = r.running != 0 && p.when.index == r.running;
    if (runs) running_[r.serial] = {p.when.end(), *what, what->amounts};
    bookings_.push_back({r.id, runs ? std::min(p.when.start(), now_) : p.when.start(), p.when.end(), what, {}, r.serial, runs});
  }
}

// What a job of a running reservation holds is the reservation's, and so no longer booked besides.
void calendar::hold_within(index at) {
  const auto place = running_.find(queues_[jobs_[at].queue].reservation);
  if (place == running_.end()) return;
  for (const auto& t : view_.claims().held_by(at).amounts) {
    amount value = t.value;
    for (auto& left : place->second.left) {
      if (left.vnode != t.vnode || left.resource != t.resource) continue;
      const amount taken = std::min(left.value, value);
      left.value -= taken;
      value -= taken;
    }
    value = t.value - value;
    auto& dates = dates_of(t.vnode);
    forget_needs(dates);
    for (auto& p : dates.parts) {
      if (value == 0 || bookings_[p.booking].start > now_) break;
      if (p.resource != t.resource || !bookings_[p.booking].runs || bookings_[p.booking].reservation != place->first) continue;
      const amount taken = std::min(p.value, value);
      p.value -= taken;
      value -= taken;
    }
  }
}

// The former places are over from the beginning. Ends of jobs depend on a running reservation: then all is booked anew.
void calendar::rebook(const reservation& r, const std::vector<reservation_place>& places) {
  if (!r.booked().empty())
    for (auto& b : bookings_)
      if (b.reservation == r.serial) b.end = over, b.reservation = 0;
  const bool ran = running_.erase(r.serial) > 0;
  const auto first = static_cast<std::uint32_t>(bookings_.size());
  book(r, places);
  if (ran || r.running != 0) book_anew();
  else enter_from(first);
  others_moved();
}

void calendar::book_anew() {
  std::erase_if(bookings_, [](const booking& b) { return b.end == over; });
  for (auto& [serial, place] : running_) place.left = place.what.amounts;
  booked_.clear();
  booked_at_.clear();
  starts_.clear();
  unknown_.clear();
  turns_.clear();
  order_.clear();
  with_pools_.clear();
  find_ends();
  enter_from(0);
  for (const auto& e : ends_) hold_within(e.job);
}

void calendar::plan_by_limits(bool on) {
  by_limits_ = on;
  if (std::none_of(ends_.begin(), ends_.end(), [&](const job_end& e) { return jobs_[e.job].soft_walltime > 0; })) return;
  book_anew();
  others_moved();
}

void calendar::others_moved() {
  reserved_now_.clear();
  for (auto& dates : booked_) forget_needs(dates);
}

// -- places for reservations -------------------------------------------------------------------------------------------------

void calendar::begin_placing(const reservation& r) {
  const auto others = std::stable_partition(ends_.begin(), ends_.end(), [&](const job_end& e) {
    return running_.empty() || queues_[jobs_[e.job].queue].reservation != r.serial;
  });
  away_.assign(others, ends_.end());
  ends_.erase(others, ends_.end());
  for (const auto& e : away_) view_.claims().lift(e.job);
  begin_supposing();
}

void calendar::finish_placing() {
  finish_supposing();
  for (const auto& e : away_) view_.claims().put_back(e.job);
  ends_.insert(ends_.end(), away_.begin(), away_.end());
  std::sort(ends_.begin(), ends_.end());
  away_.clear();
}

std::optional<calendar::place_and_time> calendar::place_at(const trial& t, refusal& why) {
  place_and_time out;
  if (!try_at({t.asked, std::max(t.start, now_), t.end, t.reservation, t.barred, {}}, out, why)) return std::nullopt;
  return out;
}

bool calendar::can_have(const claim& what, const trial& t) {
  const moment start = std::max(t.start, now_);
  go_to(start);
  const auto is_barred = [&](const auto& taken) { return std::binary_search(t.barred.begin(), t.barred.end(), taken.vnode); };
  if (std::any_of(what.vnodes.begin(), what.vnodes.end(), is_barred)) return false;
  return is_free(what, t.asked, reserved_for(what, start, t.end, t.reservation));
}

std::optional<calendar::place_and_time> calendar::place_soonest(const trial& t, refusal& why) {
  return search({t.asked, now_, now_ + (t.end - t.start), t.reservation, t.barred}, endless, why);
}

}  // namespace annals::cycle
