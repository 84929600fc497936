// The calendar keeps what is booked on which vnodes, and says how much of it others must leave alone.
#include <algorithm>
#include <iterator>
#include <utility>

#include "actors/scheduler/cycle/calendar.hpp"
#include "actors/scheduler/cycle/pools.hpp"

namespace annals::cycle {

namespace {

auto starts_before(const std::vector<booking>& bookings) {
  return [&](moment start, const auto& e) { return start < bookings[e.booking].start; };
}

}  // namespace

void calendar::add(booking b) {
  const moment start = std::max(b.start, now_);
  if (b.end > now_) starts_.insert(std::upper_bound(starts_.begin(), starts_.end(), start), start);
  const auto number = static_cast<std::uint32_t>(bookings_.size());
  const std::pair in_order(b.start, number);
  order_.insert(std::upper_bound(order_.begin(), order_.end(), in_order), in_order);
  bookings_.push_back(std::move(b));
  enter(number);
  reserved_now_.clear();
}

// It comes behind those that begin when it does. Who enters many in their order finds their place at the end.
void calendar::enter(std::uint32_t number) {
  const booking& b = bookings_[number];
  if (!b.pools.empty()) {
    with_pools_.push_back(number);
    add_turns({std::max(b.start, now_)});
  }
  last_end_ = std::max(last_end_, b.end);
  const auto insert = [&](auto& list, auto entry) {
    if (list.empty() || bookings_[list.back().booking].start <= b.start) return list.push_back(entry);
    list.insert(std::upper_bound(list.begin(), list.end(), b.start, starts_before(bookings_)), entry);
  };
  for (const auto& t : b.what->vnodes) {
    auto& dates = dates_of(t.vnode);
    dates.is_promised |= b.reservation != 0;
    insert(dates.holds, vnode_dates::hold{number, t.exclusive});
    dates.longest = std::max(dates.longest, b.end - b.start);
    forget_needs(dates);
  }
  for (const auto& t : b.what->amounts) {
    auto& dates = dates_of(t.vnode);
    dates.is_promised |= b.reservation != 0;
    insert(dates.parts, vnode_dates::part{number, t.resource, t.value});
    dates.longest = std::max(dates.longest, b.end - b.start);
    forget_needs(dates);
  }
}

// Enters the bookings from `first` on.
void calendar::enter_from(std::uint32_t first) {
  const auto old = static_cast<std::ptrdiff_t>(order_.size());
  for (auto n = first; n < bookings_.size(); ++n) order_.emplace_back(bookings_[n].start, n);
  std::sort(order_.begin() + old, order_.end());
  for (auto at = order_.begin() + old; at != order_.end(); ++at) enter(at->second);
  std::vector<moment> starts;
  for (auto at = order_.begin() + old; at != order_.end(); ++at)
    if (bookings_[at->second].end > now_) starts.push_back(std::max(at->first, now_));
  std::inplace_merge(order_.begin(), order_.begin() + old, order_.end());
  const auto old_starts = static_cast<std::ptrdiff_t>(starts_.size());
  starts_.insert(starts_.end(), starts.begin(), starts.end());
  std::inplace_merge(starts_.begin(), starts_.begin() + old_starts, starts_.end());
  work_ += bookings_.size() - first + order_.size() / 10;  // a merge is quick
}

booking calendar::booking_of(index at, const place_and_time& begins, std::int64_t seconds) const {
  const job& j = jobs_[at];
  booking b{j.id, begins.start, begins.start + seconds, std::make_shared<const claim>(begins.what)};
  for (const want& w : jobs_.request_of(j).job_wide)
    if (resources_[w.resource].summed)
      for (const index queue : {none, j.queue}) b.pools.push_back({queue, w.resource, w.value});
  return b;
}

const booking& calendar::first_met_before(moment end, const std::vector<index>& vnodes) const {
  const booking* first = nullptr;
  const auto look = [&](const booking& b) {
    if (meets(b, now_, end) && (!first || b.start < first->start)) first = &b;
  };
  for (const index at : vnodes)
    if (const auto* dates = booked_on(at))
      for (const auto& h : dates->holds) look(bookings_[h.booking]);
  for (auto at = order_.begin(); !first && at != order_.end(); ++at) look(bookings_[at->second]);
  return *first;
}

// Between two turns nothing is needed that was not needed before: ends of jobs between them share a space.
calendar::reserved_until_then& calendar::make_reserved(moment end) {
  know_needs();
  const auto behind = std::lower_bound(turns_.begin(), turns_.end(), end);
  const moment turn = behind == turns_.begin() ? now_ - 1 : *std::prev(behind);
  const auto known = reserved_now_.find(turn);
  if (known != reserved_now_.end()) return known->second;
  if (reserved_now_.size() >= spaces_max) reserved_now_.clear();
  return reserved_now_[turn] = {turn + 1, reserved_from_now(turn + 1), true};
}

const reserved_space& calendar::reserved_until(moment end) { return make_reserved(end).space; }

const reserved_space& calendar::reserved_until(moment end, moment promised) {
  const auto& planned = reserved_until(end);
  if (promised <= end) return planned;
  with_promised_ = planned;
  reserve_promised(now_, promised, with_promised_);
  return with_promised_;
}

void calendar::reserve_promised(moment from, moment until, reserved_space& out) {
  for (const auto& dates : booked_)
    if (dates.is_promised) reserve_on(dates, from, until, {0, true}, out);
}

void calendar::found_no_place_until(moment end) {
  auto& then = make_reserved(end);
  if (std::exchange(then.largest_is_old, false)) find_largest(then.space);
}

calendar::vnode_dates& calendar::dates_of(index vnode_at) {
  if (booked_at_.empty()) booked_at_.resize(vnodes_.size(), none);
  auto& slot = booked_at_[vnode_at];
  if (slot != none) return booked_[slot];
  slot = static_cast<index>(booked_.size());
  unknown_.push_back(slot);
  auto& dates = booked_.emplace_back();
  dates.vnode = vnode_at;
  for (const auto& on : vnodes_[vnode_at].jobs) {
    const index job_at = jobs_.place_of(on.job);
    if (job_at == none) continue;
    const auto where = jobs_[job_at].where;
    if (where != job_place::running && where != job_place::proposed) continue;
    for (const auto& t : view_.claims().held_by(job_at).amounts)
      if (t.vnode == vnode_at) dates.ends.push_back({end_of(job_at), end_of(job_at, true), t.resource, t.value, job_at});
  }
  return dates;
}

reserved_space calendar::empty_space() const {
  reserved_space out;
  out.vnodes.resize(vnodes_.size());
  out.amounts.resize(vnodes_.size());
  return out;
}

reserved_space calendar::reserved(moment from, moment until, std::uint64_t except, std::int64_t promised) {
  auto out = empty_space();
  work_ += vnodes_.size();
  for (const auto& dates : booked_) reserve_on(dates, from, until, {except}, out);
  if (promised > until - from) reserve_promised(from, from + promised, out);
  reserve_pools(from, until, out);
  return out;
}

// No more than who asks whether this is free looks at. Valid until the next call.
const reserved_space& calendar::reserved_for(const claim& what, moment from, moment until, std::uint64_t except) {
  if (asked_.vnodes.empty()) asked_ = empty_space();
  for (const index at : std::exchange(asked_on_, {})) {
    asked_.vnodes[at] = reserved_space::kind::none;
    asked_.amounts[at].clear();
  }
  work_ += what.vnodes.size();
  for (const auto& t : what.vnodes) {
    const auto* dates = booked_on(t.vnode);
    if (!dates) continue;
    asked_on_.push_back(t.vnode);
    reserve_on(*dates, from, until, {except}, asked_);
  }
  return asked_;
}

reserved_space calendar::reserved_from_now(moment until) {
  auto out = empty_space();
  for (const auto& dates : booked_) need_on(dates, until, out);
  reserve_pools(now_, until, out);
  return out;
}

// None before it is still on.
template <class List>
auto calendar::first_that_may_meet(const List& list, std::int64_t longest, moment from) const {
  return std::upper_bound(list.begin(), list.end(), from - longest, starts_before(bookings_));
}

namespace {

struct change {
  moment when;
  amount more;
  resource_id resource;
  bool operator<(const change& o) const { return when != o.when ? when < o.when : more < o.more; }
};

}  // namespace

// The worst moment counts: that is the start of some booking, since in between vnodes only become free. What is lifted has nothing to
// give back any more.
void calendar::reserve_on(const vnode_dates& dates, moment from, moment until, bookers who, reserved_space& out) {
  using kind = reserved_space::kind;
  for (auto h = first_that_may_meet(dates.holds, dates.longest, from); h != dates.holds.end() && bookings_[h->booking].start < until; ++h)
    if (meets(h->booking, from, until, who))
      out.vnodes[dates.vnode] = std::max(out.vnodes[dates.vnode], h->exclusive ? kind::alone : kind::shared);
  std::vector<change> changes;
  for (auto p = first_that_may_meet(dates.parts, dates.longest, from); p != dates.parts.end() && bookings_[p->booking].start < until; ++p) {
    ++work_;
    if (!meets(p->booking, from, until, who)) continue;
    changes.push_back({std::max(bookings_[p->booking].start, from), p->value, p->resource});
    changes.push_back({bookings_[p->booking].end, -p->value, p->resource});
  }
  if (changes.empty()) return;
  for (const auto& e : dates.ends)
    if (const moment end = dates.end_of(e); end > from && end < until && !jobs_[e.job].lifted)
      changes.push_back({end, -e.value, e.resource});
  std::sort(changes.begin(), changes.end());
  auto& needed = out.amounts[dates.vnode];
  needed.resize(resources_.size());
  std::vector<amount> now(needed.size());
  for (const auto& c : changes) {
    now[c.resource] += c.more;
    if (c.more > 0) needed[c.resource] = std::max(needed[c.resource], now[c.resource]);
  }
}

// The same as reserve_on for stretches from now on, for all of their ends at once. A booking that comes again each day needs no more
// than the first time.
void calendar::find_needs(vnode_dates& dates) {
  using kind = reserved_space::kind;
  dates.needs.clear();
  dates.needs_known = true;
  std::vector<change> changes;
  for (const auto& p : dates.parts) {
    const booking& b = bookings_[p.booking];
    if (b.end <= now_) continue;
    changes.push_back({std::max(b.start, now_), p.value, p.resource});
    changes.push_back({b.end, -p.value, p.resource});
  }
  for (const auto& e : dates.ends)
    if (const moment end = dates.end_of(e); end > now_ && !jobs_[e.job].lifted) changes.push_back({end, -e.value, e.resource});
  std::sort(changes.begin(), changes.end());
  std::vector<amount> now(resources_.size());
  auto h = dates.holds.begin();
  vnode_dates::need last{now_, {}, kind::none};
  const auto hold_until = [&](moment start) {
    for (; h != dates.holds.end() && bookings_[h->booking].start <= start; ++h) {
      const auto more = h->exclusive ? kind::alone : kind::shared;
      if (bookings_[h->booking].end <= now_ || more <= last.vnode) continue;
      last.vnode = more;
      last.from = std::max(bookings_[h->booking].start, now_);
      dates.needs.push_back(last);
    }
  };
  for (const auto& c : changes) {
    now[c.resource] += c.more;
    if (c.more <= 0) continue;
    hold_until(c.when);
    if (last.amounts.empty()) last.amounts.resize(now.size());
    else if (now[c.resource] <= last.amounts[c.resource]) continue;
    last.amounts[c.resource] = std::max(last.amounts[c.resource], now[c.resource]);
    last.from = c.when;
    dates.needs.push_back(last);
  }
  hold_until(endless);
}

void calendar::forget_needs(vnode_dates& dates) {
  if (!std::exchange(dates.needs_known, false)) return;
  unknown_.push_back(booked_at_[dates.vnode]);
}

// A turn that is none any more does no harm.
void calendar::know_needs() {
  if (unknown_.empty()) return;
  std::vector<moment> more;
  for (const auto slot : std::exchange(unknown_, {})) {
    find_needs(booked_[slot]);
    for (const auto& n : booked_[slot].needs) more.push_back(n.from);
  }
  add_turns(std::move(more));
}

void calendar::add_turns(std::vector<moment> more) {
  std::sort(more.begin(), more.end());
  const auto old = static_cast<std::ptrdiff_t>(turns_.size());
  turns_.insert(turns_.end(), more.begin(), more.end());
  std::inplace_merge(turns_.begin(), turns_.begin() + old, turns_.end());
  turns_.erase(std::unique(turns_.begin(), turns_.end()), turns_.end());
}

void calendar::need_on(const vnode_dates& dates, moment until, reserved_space& out) {
  const auto is_before = [](const vnode_dates::need& n, moment t) { return n.from < t; };
  const auto behind = std::lower_bound(dates.needs.begin(), dates.needs.end(), until, is_before);
  const bool any = behind != dates.needs.begin();
  out.vnodes[dates.vnode] = any ? std::prev(behind)->vnode : reserved_space::kind::none;
  out.amounts[dates.vnode] = any ? std::prev(behind)->amounts : std::vector<amount>();
}

// No host has more: most jobs that find no place are known by that.
void calendar::find_largest(reserved_space& of) const {
  std::vector<amount> sums;
  of.largest.assign(resources_.size(), 0);
  for (const auto& h : vnodes_.hosts()) {
    sums.assign(of.largest.size(), 0);
    for (const index at : h.vnodes) {
      const vnode& v = vnodes_[at];
      if (!vnodes_.usable(v) || of.vnodes[at] == reserved_space::kind::alone) continue;
      for (resource_id r = 0; r < v.has.size(); ++r) sums[r] += std::max<amount>(0, v.has[r] - v.in_use(r) - of.of(at, r));
      for (const auto& b : v.borrowed) sums[b.resource] = INT64_MAX / 2;  // somebody else's; whoever asks looks there
    }
    for (std::size_t r = 0; r < sums.size(); ++r) of.largest[r] = std::max(of.largest[r], sums[r]);
  }
}

void calendar::reserve_pools(moment from, moment until, reserved_space& out) const {
  for (const auto number : with_pools_) {
    const booking& b = bookings_[number];
    if (!meets(b, from, until)) continue;
    const moment worst = std::max(b.start, from);
    for (const auto& part : b.pools) {
      if (!has_pool(view_, part.queue, part.resource)) continue;
      amount booked = 0;
      for (const auto n : with_pools_)
        if (const booking& other = bookings_[n]; other.start <= worst && worst < other.end)
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
    const job& j = jobs_[e.job];
    if (e.at <= from || e.at > until || j.lifted) continue;
    if (part.queue != none && part.queue != j.queue) continue;
    for (const want& w : jobs_.request_of(j).job_wide)
      if (w.resource == part.resource) sum += w.value;
  }
  return sum;
}

}  // namespace annals::cycle
