#include "actors/scheduler/cycle/calendar.hpp"

#include <algorithm>
#include <utility>

#include "actors/scheduler/cycle/exec_text.hpp"
#include "actors/scheduler/cycle/pools.hpp"
#include "events/model/limits.hpp"

namespace annals::cycle {

calendar::calendar(view& v, const policy& p, const timed_settings& settings, moment now)
    : view_(v),
      resources_(v.resources()),
      queues_(v.queues()),
      jobs_(v.jobs()),
      vnodes_(v.vnodes()),
      policy_(p),
      settings_(settings),
      now_(now) {
  book_all();
}

void calendar::find_ends() {
  ends_.clear();
  for (index at = 0; at < jobs_.size(); ++at) {
    const auto where = jobs_[at].where;
    if (where == job_place::running || where == job_place::proposed) ends_.push_back({end_of(at), at});
  }
  std::sort(ends_.begin(), ends_.end());
}

// A job of a running reservation goes with its window, and what it gives back before goes to the reservation.
moment calendar::end_of(index at, bool at_latest) const {
  const job& j = jobs_[at];
  if (const auto* place = running(queues_[j.queue].reservation)) return place->end;
  if (j.where == job_place::proposed) return now_ + (at_latest ? limit_of(j) : duration_of(j));
  const moment end = j.started + (at_latest ? limit_of(j) : running_duration_of(j, now_));
  return end > now_ ? end : now_ + overdue_seconds;
}

// On its vnodes a booking may find less or as much; elsewhere nothing changes.
void calendar::started(index at) {
  const job_end end{end_of(at), at};
  ends_.insert(std::upper_bound(ends_.begin(), ends_.end(), end), end);
  const claim& held = view_.claims().held_by(at);
  hold_within(at);
  for (const auto& t : held.amounts) {
    if (!booked_on(t.vnode)) continue;
    auto& dates = dates_of(t.vnode);
    dates.ends.push_back({end.at, end_of(at, true), t.resource, t.value, at});
    forget_needs(dates);
  }
  if (!reserved_now_.empty()) know_needs();
  for (auto& [turn, known] : reserved_now_) {
    for (const auto& t : held.vnodes)
      if (booked_on(t.vnode)) need_on(dates_of(t.vnode), known.until, known.space);
    known.largest_is_old = true;
    known.space.pools.clear();
    reserve_pools(now_, known.until, known.space);
  }
}

void calendar::left(index at) {
  std::erase_if(ends_, [&](const job_end& e) { return e.job == at; });
  others_moved();
}

// -- the time for a job ------------------------------------------------------------------------------------------------------

// Jobs whose end has come by then are lifted, the others are there.
void calendar::go_to(moment t) {
  for (; lifted_ < ends_.size() && ends_[lifted_].at <= t; ++work_) view_.claims().lift(ends_[lifted_++].job);
  for (; lifted_ > 0 && ends_[lifted_ - 1].at > t; ++work_) view_.claims().put_back(ends_[--lifted_].job);
}

// Between two of them more and more becomes free, and bookings that the job would meet stay the same. Of many bookings only the first
// limits::turning_bookings_max count, and the end of all: a place between the others is not looked for.
std::vector<moment> calendar::turning_points(std::int64_t seconds, std::int64_t promised, std::span<const time_span> starts) const {
  std::vector<moment> out{now_};
  const auto add = [&](moment t) {
    if (t > now_) out.push_back(t);
  };
  for (const auto& s : starts) add(s.from), add(s.to);
  std::size_t count = 0;
  for (auto at = order_.begin(); at != order_.end() && count < limits::turning_bookings_max; ++at) {
    const booking& b = bookings_[at->second];
    if (b.end <= now_) continue;
    add(b.start - seconds + 1), add(b.start), add(b.end);
    if (promised > seconds && b.reservation != 0) add(b.start - promised + 1);
    ++count;
  }
  add(last_end_);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool calendar::try_at(const trial& t, place_and_time& out, refusal& why) {
  go_to(t.start);
  auto others = reserved(t.start, t.end, t.reservation, t.promised);
  for (const index at : t.barred) others.vnodes[at] = reserved_space::kind::alone;
  supposed_->vnodes_changed();
  if (t.reservation == 0 && !pools_suffice(view_, *supposed_, t.asked, why, &others)) return false;
  if (!supposed_->place(t.asked, where_, why, &others)) return false;
  out = {t.start, describe(view_, where_).exec_vnode, supposed_->claim_of(t.asked, where_)};
  supposed_->give_back(where_);
  return true;
}

// Within a stretch between two turning points the place is there from some end of a job on, if it is there at all.
std::optional<calendar::place_and_time> calendar::search(const trial& t, moment before, refusal& why) {
  const auto seconds = t.end - t.start;
  const auto points = turning_points(seconds, t.promised, t.starts);
  place_and_time out;
  const auto is_there = [&](moment at) {
    if (tries_ == limits::searches_of_cycle_max) return false;
    ++tries_;
    return try_at({t.asked, at, at + seconds, t.reservation, t.barred, {}, t.promised}, out, why);
  };
  for (std::size_t i = 0; i < points.size() && points[i] < before; ++i) {
    if (!t.starts.empty() && !is_within(t.starts, points[i])) continue;
    const moment from = points[i], to = std::min(i + 1 < points.size() ? points[i + 1] : endless, before);
    auto first = std::upper_bound(ends_.begin(), ends_.end(), job_end{from, none}) - ends_.begin();
    auto last = std::lower_bound(ends_.begin(), ends_.end(), job_end{to, 0}) - ends_.begin() - 1;
    if (!is_there(last >= first ? ends_[static_cast<std::size_t>(last)].at : from)) continue;
    if (last < first || is_there(from)) return out;
    while (first < last) {
      const auto middle = first + (last - first) / 2;
      if (is_there(ends_[static_cast<std::size_t>(middle)].at)) last = middle;
      else first = middle + 1;
    }
    return out;
  }
  return std::nullopt;
}

void calendar::begin_supposing() {
  vnodes_.suppose(true);
  if (supposed_) return;
  go_to(endless);
  supposed_.emplace(view_, policy_, settings_);
}

void calendar::finish_supposing() {
  go_to(now_ - 1);
  vnodes_.suppose(false);
}

std::optional<calendar::place_and_time> calendar::first_time_for(index at, std::int64_t seconds,
                                                                 std::span<const time_span> starts) {
  if (starts.empty()) return std::nullopt;
  begin_supposing();
  auto told = told_before(at, seconds);
  if (told && !is_within(starts, told->start)) told.reset();
  refusal unused;
  const trial t{jobs_[at], now_, now_ + seconds, 0, {}, starts, promised_of(jobs_[at])};
  auto found = search(t, told ? told->start : endless, unused);
  finish_supposing();
  return found ? found : told;
}

// Something comes back when a job ends that has a part of it, or a booking.
std::optional<moment> calendar::first_time_of(const claim& what, index at, std::int64_t seconds) {
  const auto meets_it = [&](const auto& taken) {
    return std::any_of(what.amounts.begin(), what.amounts.end(), [&](const auto& t) { return t.vnode == taken.vnode; }) ||
           std::any_of(what.vnodes.begin(), what.vnodes.end(), [&](const auto& t) { return t.vnode == taken.vnode; });
  };
  const auto promised = promised_of(jobs_[at]);
  auto times = turning_points(seconds, promised);
  for (const auto& e : ends_) {
    const auto& held = view_.claims().held_by(e.job).vnodes;
    if (std::any_of(held.begin(), held.end(), meets_it)) times.push_back(e.at);
  }
  std::sort(times.begin(), times.end());
  std::optional<moment> found;
  vnodes_.suppose(true);
  for (auto t = times.begin(); t != times.end() && !found; ++t) {
    go_to(*t);
    if (is_free(what, jobs_[at], reserved(*t, *t + seconds, 0, promised))) found = *t;
  }
  go_to(now_ - 1);
  vnodes_.suppose(false);
  return found;
}

// The place that the job shows, if it still asks for that much and can have it.
std::optional<calendar::place_and_time> calendar::told_before(index at, std::int64_t seconds) {
  const job& j = jobs_[at];
  if (j.estimated <= now_ || j.estimated_vnode.empty()) return std::nullopt;
  place_and_time told{j.estimated, j.estimated_vnode, view_.claims().claim_of(j.estimated_vnode, jobs_.request_of(j))};
  if (!asks_for(j, told.what)) return std::nullopt;
  go_to(told.start);
  const auto others = reserved(told.start, told.start + seconds, 0, promised_of(j));
  refusal unused;
  if (!pools_suffice(view_, *supposed_, j, unused, &others) || !is_free(told.what, j, others)) return std::nullopt;
  return told;
}

bool calendar::asks_for(const job& j, const claim& what) const {
  const auto& sums = jobs_.request_of(j).sums;
  return std::all_of(sums.begin(), sums.end(), [&](const want& w) {
    const auto& r = resources_[w.resource];
    if (!r.consumable || !supposed_->is_checked(w.resource)) return true;
    amount sum = 0;
    for (const auto& t : what.amounts) sum += t.resource == w.resource ? t.value : 0;
    return sum == w.value;
  });
}

bool calendar::is_free(const claim& what, const job& j, const reserved_space& others) {
  for (const auto& t : what.vnodes) {
    const vnode& v = vnodes_[t.vnode];
    if (!vnodes_.usable(v) || others.vnodes[t.vnode] == reserved_space::kind::alone) return false;
    if (t.exclusive && (!v.jobs.empty() || others.vnodes[t.vnode] != reserved_space::kind::none)) return false;
    if (queues_[j.queue].vnodes > 0 ? v.queue != j.queue : v.queue != none) return false;
  }
  std::size_t taken = 0;
  bool all = true;
  for (; all && taken < what.amounts.size(); ++taken) {
    const auto& t = what.amounts[taken];
    all = vnodes_.free_amount(vnodes_[t.vnode], t.resource) - others.of(t.vnode, t.resource) >= t.value;
    vnodes_.take(t.vnode, t.resource, t.value);
  }
  while (taken > 0) {
    const auto& t = what.amounts[--taken];
    vnodes_.give_back(t.vnode, t.resource, t.value);
  }
  return all;
}

}  // namespace annals::cycle
