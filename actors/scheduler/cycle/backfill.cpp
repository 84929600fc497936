#include "actors/scheduler/cycle/backfill.hpp"

#include <algorithm>
#include <tuple>

#include "actors/scheduler/cycle/pools.hpp"
#include "actors/scheduler/cycle/shrink.hpp"
#include "actors/scheduler/cycle/time_rules.hpp"
#include "events/values/date_time.hpp"

namespace annals::cycle {

namespace {

constexpr const char* estimating = "Estimating the start time for a top job.";

}  // namespace

calendar& backfill::dates() {
  if (!dates_) dates_.emplace(view_, policy_, settings_, now_);
  return *dates_;
}

std::int64_t backfill::depth_for(const job& j) const { return queues_[j.queue].backfill_depth.value_or(view_.settings().backfill_depth()); }

bool backfill::breaks_order(const job& j, refusal& why) const {
  const auto at = turns_.find(turn_of(j));
  if (at == turns_.end() || at->second.blocked_by.empty()) return false;
  why.text = "Job would break strict sorted order";
  why.data.kind = schema::Why::Kind::ORDER;
  why.behind = at->second.blocked_by;
  return true;
}

// First as if there were no bookings: most jobs that can't run can't run anyway, and that is the reason they are told.
bool backfill::place(placement& where, const job& j, std::int64_t longest, allocation& out, refusal& why) {
  if (!where.place(j, out, why)) return false;
  out.seconds = longest;
  const moment end_at_latest = now_ + std::max(longest, promised_of(j));
  if (!dates_ || end_at_latest <= dates_->first_start()) return true;
  where.give_back(out);
  std::vector<index> vnodes;
  for (const auto& part : out.parts) vnodes.push_back(part.vnode);
  const auto fits = [&](std::int64_t seconds) {
    const bool found = place_beside_bookings(where, j, seconds, out);
    if (found) where.give_back(out);
    return found;
  };
  const auto shortest = std::min(shortest_of(j), longest);
  if (shortest == longest) {
    if (place_beside_bookings(where, j, longest, out)) return true;
  } else if (const auto found = longest_that_fits({shortest, longest}, now_, dates_->starts(), fits)) {
    return place_beside_bookings(where, j, *found, out);
  }
  const moment end = now_ + shortest;
  dates_->found_no_place_until(end);
  why = {};
  why.text = "Job would conflict with reservation or top job";
  why.data.kind = schema::Why::Kind::BOOKED;
  why.behind = dates_->first_met_before(end_at_latest, vnodes).id;
  return false;
}

bool backfill::place_beside_bookings(placement& where, const job& j, std::int64_t seconds, allocation& out) {
  const auto& others = dates_->reserved_until(now_ + seconds, now_ + promised_of(j));
  refusal unused;
  out.seconds = seconds;
  return pools_suffice(view_, where, j, unused, &others) && where.place(j, out, unused, &others);
}

void backfill::started(index at) {
  if (dates_) dates_->started(at);
}

void backfill::others_moved() {
  if (dates_) dates_->others_moved();
}

void backfill::left(index at) {
  without_time_.clear();
  if (dates_) dates_->left(at);
}

bool backfill::leaves_alone(const claim& what, const job& j) {
  const moment end = now_ + duration_of(j), promised = now_ + promised_of(j);
  if (!dates_ || std::max(end, promised) <= dates_->first_start()) return true;
  const auto& others = dates_->reserved_until(end, promised);
  const auto free = [&](const claim::amount_taken& t) {  // it is taken already
    return vnodes_.free_amount(vnodes_[t.vnode], t.resource) >= others.of(t.vnode, t.resource);
  };
  using kind = reserved_space::kind;
  return std::all_of(what.amounts.begin(), what.amounts.end(), free) &&
         std::all_of(what.vnodes.begin(), what.vnodes.end(), [&](const auto& t) {
           return others.vnodes[t.vnode] == kind::none || (others.vnodes[t.vnode] == kind::shared && !t.exclusive);
         });
}

void backfill::book_now(index at, claim what) {
  dates().add(dates().booking_of(at, {now_, {}, std::move(what)}, shortest_of(jobs_[at])));
  booked_.insert(at);
}

void backfill::book_resumption(index at) {
  if (booked_.contains(at)) return;
  const job& j = jobs_[at];
  auto what = view_.claims().claim_of(j.exec_vnode, jobs_.request_of(j));
  std::erase_if(what.vnodes, [&](const auto& t) {  // it may have kept them
    const auto& on = vnodes_[t.vnode].jobs;
    return std::any_of(on.begin(), on.end(), [&](const job_on_vnode& o) { return o.job == j.serial; });
  });
  log_.of_job(event_debug2, j.id, estimating);
  if (const auto start = dates().first_time_of(what, at, duration_of(j)))
    book_top(at, {*start, j.exec_vnode, std::move(what)}, duration_of(j));
}

void backfill::could_not_run(index at) {
  const job& j = jobs_[at];
  if (enforced(j)) {  // whatever the depth
    if (!booked_.contains(at)) make_top(at, now_);
    return;
  }
  if (!settings_.strict_ordering || j.topjob_ineligible) return;
  auto& turn = turns_[turn_of(j)];
  if (depth_for(j) <= 0) turn.blocked_by = j.id;
  else if (booked_.contains(at) || (turn.tops < depth_for(j) && make_top(at, now_))) ++turn.tops;
}

// Nobody has to wait behind it, whatever the depth: no room is lacking.
void backfill::waits_for_its_subjobs(index at) {
  const job& j = jobs_[at];
  if (!settings_.strict_ordering || j.topjob_ineligible || turns_[turn_of(j)].tops >= depth_for(j)) return;
  if (const auto end = first_end_within(j); end && make_top(at, *end)) ++turns_[turn_of(j)].tops;
}

std::optional<moment> backfill::first_end_within(const job& array) {
  for (const auto& e : dates().ends())
    if (of_one_array(array.id, jobs_[e.job].id)) return e.at;
  return std::nullopt;
}

bool backfill::make_top(index at, moment earliest) {
  const job& j = jobs_[at];
  const auto seconds = shortest_of(j);
  const std::tuple same(j.queue, j.request, seconds, promised_of(j));
  if (earliest == now_ && j.estimated == 0 && without_time_.contains(same)) return false;
  log_.of_job(event_debug2, j.id, estimating);
  const auto& queue = queues_[j.queue];
  auto starts = queue.reservation != 0 ? std::vector<time_span>{{now_, endless}}
                                       : time_rules::possible_starts(policy_, now_, seconds, queue.name);
  std::erase_if(starts, [&](const time_span& s) { return s.to <= earliest; });
  for (auto& s : starts) s.from = std::max(s.from, earliest);
  auto found = dates().first_time_for(at, seconds, starts);
  if (!found) {
    if (earliest == now_) without_time_.insert(same);
    return false;
  }
  book_top(at, std::move(*found), seconds);
  return true;
}

void backfill::book_top(index at, calendar::place_and_time where, std::int64_t seconds) {
  const job& j = jobs_[at];
  log_simulation(where.start);
  log_.of_job(event_debug, j.id, log_.keep("Job is a top job and will run at " + values::print_date(where.start)));
  dates().add(dates().booking_of(at, where, seconds));
  tops_[at] = {j.serial, at, where.start, std::move(where.exec_vnode)};
}

// What happened until then, as far as it was supposed.
void backfill::log_simulation(moment start) {
  if (!log_.shows(event_debug3)) return;
  std::vector<std::tuple<moment, bool, std::string_view>> points;  // when, whether it begins, who
  for (const auto& e : dates_->ends())
    if (e.at <= start) points.emplace_back(e.at, false, jobs_[e.job].id);
  for (const auto& b : dates_->bookings()) {
    if (b.end <= now_) continue;
    if (b.start <= start) points.emplace_back(b.start, true, log_.keep(b.id));
    if (b.end <= start) points.emplace_back(b.end, false, log_.keep(b.id));
  }
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  for (const auto& [when, begins, who] : points)
    log_.of_job(event_debug3, who,
                log_.keep(std::string("Simulation: job ") + (begins ? "start" : "end") + " point [" + values::print_date(when) + "]"));
}

std::vector<job_estimate> backfill::estimates() {
  std::vector<job_estimate> out;
  for (auto& [at, e] : tops_) {
    const job& j = jobs_[at];
    if (!j.shown_as_top || j.estimated != e.start || j.estimated_vnode != e.exec_vnode) out.push_back(std::move(e));
  }
  for (index at = 0; at < jobs_.size(); ++at) {
    const job& j = jobs_[at];
    const bool waits = j.where == job_place::queued || (j.where == job_place::suspended && j.resume && j.shown_as_top);
    if (!waits || j.estimated == 0 || tops_.contains(at)) continue;
    if (view_.settings().clears_estimates()) out.push_back({j.serial, at, 0, {}});
    else if (j.shown_as_top) out.push_back({j.serial, at, j.estimated, j.estimated_vnode, true});
  }
  return out;
}

}  // namespace annals::cycle
