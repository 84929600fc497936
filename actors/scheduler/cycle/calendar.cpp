#include "actors/scheduler/cycle/calendar.hpp"

#include <algorithm>
#include <utility>

#include "actors/scheduler/cycle/exec_text.hpp"
#include "actors/scheduler/cycle/pools.hpp"

namespace annals::cycle {

calendar::calendar(view& v, const policy& p, const timed_settings& settings, moment now)
    : view_(v), policy_(p), settings_(settings), now_(now) {
  book_all();
}

void calendar::find_ends() {
  ends_.clear();
  for (index at = 0; at < view_.jobs().size(); ++at) {
    const auto where = view_.jobs()[at].where;
    if (where == job_place::running || where == job_place::proposed) ends_.push_back({end_of(at), at});
  }
  std::sort(ends_.begin(), ends_.end());
}

// A job of a running reservation goes with its window, and what it gives back before goes to the reservation.
moment calendar::end_of(index at) const {
  const job& j = view_.jobs()[at];
  if (const auto* place = running(view_.queues()[j.queue].reservation)) return place->end;
  if (j.where == job_place::proposed) return now_ + duration_of(j);
  const moment end = j.started + duration_of(j);
  return end > now_ ? end : now_ + overdue_seconds;
}

// On its vnodes a booking may find less or as much; elsewhere nothing changes.
void calendar::started(index at) {
  const job_end end{end_of(at), at};
  ends_.insert(std::upper_bound(ends_.begin(), ends_.end(), end), end);
  const claim& held = view_.held_by(at);
  hold_within(at);
  for (const auto& t : held.amounts)
    if (const auto known = booked_.find(t.vnode); known != booked_.end()) known->second.ends.push_back({end.at, t.resource, t.value, at});
  for (auto& [count, known] : reserved_now_) {
    for (const auto& t : held.vnodes)
      if (const auto dates = booked_.find(t.vnode); dates != booked_.end()) {
        known.space.amounts[t.vnode].clear();
        reserve_on(t.vnode, dates->second, now_, known.until, 0, known.space);
      }
    known.largest_is_old = true;
    known.space.pools.clear();
    reserve_pools(now_, known.until, known.space);
  }
}

void calendar::left(index at) {
  std::erase_if(ends_, [&](const job_end& e) { return e.job == at; });
  reserved_now_.clear();
}

// -- bookings ----------------------------------------------------------------------------------------------------------------

void calendar::add(booking b) {
  const moment start = std::max(b.start, now_);
  if (b.end > now_) starts_.insert(std::upper_bound(starts_.begin(), starts_.end(), start), start);
  bookings_.push_back(std::move(b));
  enter(static_cast<std::uint32_t>(bookings_.size() - 1));
  reserved_now_.clear();
}

void calendar::enter(std::uint32_t number) {
  const booking& b = bookings_[number];
  longest_ = std::max(longest_, b.end - b.start);
  const auto insert = [&](auto& list, auto entry) {
    const auto later = [&](moment start, const auto& e) { return start < bookings_[e.booking].start; };
    list.insert(std::upper_bound(list.begin(), list.end(), b.start, later), entry);
  };
  for (const auto& t : b.what.vnodes) insert(dates_of(t.vnode).holds, vnode_dates::hold{number, t.exclusive});
  for (const auto& t : b.what.amounts) insert(dates_of(t.vnode).parts, vnode_dates::part{number, t.resource, t.value});
}

booking calendar::booking_of(index at, const place_and_time& begins, std::int64_t seconds) const {
  const job& j = view_.jobs()[at];
  booking b{j.id, begins.start, begins.start + seconds, begins.what};
  for (const want& w : view_.request_of(j).job_wide)
    if (view_.resources()[w.resource].summed)
      for (const index queue : {none, j.queue}) b.pools.push_back({queue, w.resource, w.value});
  return b;
}

const booking& calendar::first_met_before(moment end, const std::vector<index>& vnodes) const {
  const booking* first = nullptr;
  const auto look = [&](const booking& b) {
    if (meets(b, now_, end) && (!first || b.start < first->start)) first = &b;
  };
  for (const index at : vnodes)
    if (const auto dates = booked_.find(at); dates != booked_.end())
      for (const auto& h : dates->second.holds) look(bookings_[h.booking]);
  if (!first) std::for_each(bookings_.begin(), bookings_.end(), look);
  return *first;
}

calendar::reserved_until_then& calendar::make_reserved(moment end) {
  const auto count = static_cast<std::size_t>(std::lower_bound(starts_.begin(), starts_.end(), end) - starts_.begin());
  const auto known = reserved_now_.find(count);
  if (known != reserved_now_.end()) return known->second;
  return reserved_now_[count] = {end, reserved(now_, end), true};
}

const reserved_space& calendar::reserved_until(moment end) { return make_reserved(end).space; }

void calendar::found_no_place_until(moment end) {
  auto& then = make_reserved(end);
  if (std::exchange(then.largest_is_old, false)) find_largest(then.space);
}

calendar::vnode_dates& calendar::dates_of(index vnode_at) {
  const auto [at, is_new] = booked_.try_emplace(vnode_at);
  if (!is_new) return at->second;
  for (const auto& on : view_.vnodes()[vnode_at].jobs) {
    const index job_at = view_.place_of_job(on.job);
    if (job_at == none) continue;
    const auto where = view_.jobs()[job_at].where;
    if (where != job_place::running && where != job_place::proposed) continue;
    for (const auto& t : view_.held_by(job_at).amounts)
      if (t.vnode == vnode_at) at->second.ends.push_back({end_of(job_at), t.resource, t.value, job_at});
  }
  return at->second;
}

reserved_space calendar::reserved(moment from, moment until, std::uint64_t except) const {
  reserved_space out;
  out.vnodes.resize(view_.vnodes().size());
  out.amounts.resize(view_.vnodes().size());
  if (std::none_of(bookings_.begin(), bookings_.end(), [&](const booking& b) { return meets(b, from, until); })) return out;
  for (const auto& [vnode_at, dates] : booked_) reserve_on(vnode_at, dates, from, until, except, out);
  reserve_pools(from, until, out);
  return out;
}

// None before it is still on.
template <class List>
auto calendar::first_that_may_meet(const List& list, moment from) const {
  return std::upper_bound(list.begin(), list.end(), from - longest_,
                          [&](moment start, const auto& e) { return start < bookings_[e.booking].start; });
}

// The worst moment counts: that is the start of some booking, since in between vnodes only become free. What is lifted has nothing to
// give back any more.
void calendar::reserve_on(index vnode_at, const vnode_dates& dates, moment from, moment until, std::uint64_t except,
                          reserved_space& out) const {
  using kind = reserved_space::kind;
  for (auto h = first_that_may_meet(dates.holds, from); h != dates.holds.end() && bookings_[h->booking].start < until; ++h)
    if (meets(h->booking, from, until, except))
      out.vnodes[vnode_at] = std::max(out.vnodes[vnode_at], h->exclusive ? kind::alone : kind::shared);
  struct change {
    moment when;
    amount more;
    resource_id resource;
    bool operator<(const change& o) const { return when != o.when ? when < o.when : more < o.more; }
  };
  std::vector<change> changes;
  for (auto p = first_that_may_meet(dates.parts, from); p != dates.parts.end() && bookings_[p->booking].start < until; ++p) {
    if (!meets(p->booking, from, until, except)) continue;
    changes.push_back({std::max(bookings_[p->booking].start, from), p->value, p->resource});
    changes.push_back({bookings_[p->booking].end, -p->value, p->resource});
  }
  if (changes.empty()) return;
  for (const auto& e : dates.ends)
    if (e.at > from && e.at < until && !view_.jobs()[e.job].lifted) changes.push_back({e.at, -e.value, e.resource});
  std::sort(changes.begin(), changes.end());
  auto& needed = out.amounts[vnode_at];
  needed.resize(view_.resources().size());
  std::vector<amount> now(needed.size());
  for (const auto& c : changes) {
    now[c.resource] += c.more;
    if (c.more > 0) needed[c.resource] = std::max(needed[c.resource], now[c.resource]);
  }
}

// No host has more: most jobs that find no place are known by that.
void calendar::find_largest(reserved_space& of) const {
  std::vector<amount> sums;
  of.largest.assign(view_.resources().size(), 0);
  for (const auto& h : view_.hosts()) {
    sums.assign(of.largest.size(), 0);
    for (const index at : h.vnodes) {
      const vnode& v = view_.vnodes()[at];
      if (!view_.usable(v) || of.vnodes[at] == reserved_space::kind::alone) continue;
      for (resource_id r = 0; r < v.has.size(); ++r) sums[r] += std::max<amount>(0, v.has[r] - v.in_use(r) - of.of(at, r));
      for (const auto& b : v.borrowed) sums[b.resource] = INT64_MAX / 2;  // somebody else's; whoever asks looks there
    }
    for (std::size_t r = 0; r < sums.size(); ++r) of.largest[r] = std::max(of.largest[r], sums[r]);
  }
}

void calendar::reserve_pools(moment from, moment until, reserved_space& out) const {
  for (const booking& b : bookings_) {
    if (!meets(b, from, until)) continue;
    const moment worst = std::max(b.start, from);
    for (const auto& part : b.pools) {
      if (!has_pool(view_, part.queue, part.resource)) continue;
      amount booked = 0;
      for (const booking& other : bookings_)
        if (other.start <= worst && worst < other.end)
          for (const auto& p : other.pools)
            if (p.queue == part.queue && p.resource == part.resource) booked += p.value;
      const amount more = booked - ended_in_pool(part, from, worst);
      const auto known = std::find_if(out.pools.begin(), out.pools.end(),
                                      [&](const auto& p) { return p.queue == part.queue && p.resource == part.resource; });
      if (known != out.pools.end()) known->value = std::max(known->value, more);
      else if (more > 0) out.pools.push_back({part.queue, part.resource, more});
    }
  }
}

amount calendar::ended_in_pool(const reserved_space::pool_part& part, moment from, moment until) const {
  amount sum = 0;
  for (const auto& e : ends_) {
    const job& j = view_.jobs()[e.job];
    if (e.at <= from || e.at > until || j.lifted) continue;
    if (part.queue != none && part.queue != j.queue) continue;
    for (const want& w : view_.request_of(j).job_wide)
      if (w.resource == part.resource) sum += w.value;
  }
  return sum;
}

// -- the time for a job ------------------------------------------------------------------------------------------------------

// Jobs whose end has come by then are lifted, the others are there.
void calendar::go_to(moment t) {
  while (lifted_ < ends_.size() && ends_[lifted_].at <= t) view_.lift(ends_[lifted_++].job);
  while (lifted_ > 0 && ends_[lifted_ - 1].at > t) view_.put_back(ends_[--lifted_].job);
}

// Between two of them more and more becomes free, and bookings that the job would meet stay the same.
std::vector<moment> calendar::turning_points(std::int64_t seconds, std::span<const time_span> starts) const {
  std::vector<moment> out{now_};
  for (const auto& s : starts)
    for (const moment t : {s.from, s.to})
      if (t > now_) out.push_back(t);
  for (const auto& b : bookings_)
    for (const moment t : {b.start - seconds + 1, b.start, b.end})
      if (t > now_) out.push_back(t);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool calendar::try_at(const trial& t, place_and_time& out, refusal& why) {
  go_to(t.start);
  auto others = reserved(t.start, t.end, t.reservation);
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
  const auto points = turning_points(seconds, t.starts);
  place_and_time out;
  const auto is_there = [&](moment at) { return try_at({t.asked, at, at + seconds, t.reservation, t.barred, {}}, out, why); };
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
  view_.suppose(true);
  if (supposed_) return;
  go_to(endless);
  supposed_.emplace(view_, policy_, settings_);
}

void calendar::finish_supposing() {
  go_to(now_ - 1);
  view_.suppose(false);
}

std::optional<calendar::place_and_time> calendar::first_time_for(index at, std::int64_t seconds,
                                                                 std::span<const time_span> starts) {
  if (starts.empty()) return std::nullopt;
  begin_supposing();
  auto told = told_before(at, seconds);
  if (told && !is_within(starts, told->start)) told.reset();
  refusal unused;
  const trial t{view_.jobs()[at], now_, now_ + seconds, 0, {}, starts};
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
  auto times = turning_points(seconds);
  for (const auto& e : ends_) {
    const auto& held = view_.held_by(e.job).vnodes;
    if (std::any_of(held.begin(), held.end(), meets_it)) times.push_back(e.at);
  }
  std::sort(times.begin(), times.end());
  std::optional<moment> found;
  view_.suppose(true);
  for (auto t = times.begin(); t != times.end() && !found; ++t) {
    go_to(*t);
    if (is_free(what, view_.jobs()[at], reserved(*t, *t + seconds))) found = *t;
  }
  go_to(now_ - 1);
  view_.suppose(false);
  return found;
}

// The place that the job shows, if it still asks for that much and can have it.
std::optional<calendar::place_and_time> calendar::told_before(index at, std::int64_t seconds) {
  const job& j = view_.jobs()[at];
  if (j.estimated <= now_ || j.estimated_vnode.empty()) return std::nullopt;
  place_and_time told{j.estimated, j.estimated_vnode, view_.claim_of(j.estimated_vnode, view_.request_of(j))};
  if (!asks_for(j, told.what)) return std::nullopt;
  go_to(told.start);
  const auto others = reserved(told.start, told.start + seconds);
  refusal unused;
  if (!pools_suffice(view_, *supposed_, j, unused, &others) || !is_free(told.what, j, others)) return std::nullopt;
  return told;
}

bool calendar::asks_for(const job& j, const claim& what) const {
  const auto& sums = view_.request_of(j).sums;
  return std::all_of(sums.begin(), sums.end(), [&](const want& w) {
    const auto& r = view_.resources()[w.resource];
    if (!r.consumable || !supposed_->is_checked(w.resource)) return true;
    amount sum = 0;
    for (const auto& t : what.amounts) sum += t.resource == w.resource ? t.value : 0;
    return sum == w.value;
  });
}

bool calendar::is_free(const claim& what, const job& j, const reserved_space& others) {
  for (const auto& t : what.vnodes) {
    const vnode& v = view_.vnodes()[t.vnode];
    if (!view_.usable(v) || others.vnodes[t.vnode] == reserved_space::kind::alone) return false;
    if (t.exclusive && (!v.jobs.empty() || others.vnodes[t.vnode] != reserved_space::kind::none)) return false;
    if (view_.queues()[j.queue].vnodes > 0 ? v.queue != j.queue : v.queue != none) return false;
  }
  std::size_t taken = 0;
  bool all = true;
  for (; all && taken < what.amounts.size(); ++taken) {
    const auto& t = what.amounts[taken];
    all = view_.free_amount(view_.vnodes()[t.vnode], t.resource) - others.of(t.vnode, t.resource) >= t.value;
    view_.take(t.vnode, t.resource, t.value);
  }
  while (taken > 0) {
    const auto& t = what.amounts[--taken];
    view_.give_back(t.vnode, t.resource, t.value);
  }
  return all;
}

}  // namespace annals::cycle
