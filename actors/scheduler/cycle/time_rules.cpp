#include "actors/scheduler/cycle/time_rules.hpp"

#include <algorithm>

#include "actors/scheduler/cycle/calendar.hpp"

namespace annals::cycle {

namespace {

// So many changes of time an estimate looks ahead: three months of two changes each day, each of which may cost a search of all vnodes.
constexpr int changes_looked_at = 180;

bool refuse(refusal& why, schema::Why::Kind kind, std::string text, std::string log) {
  why.text = std::move(text);
  why.log = std::move(log);
  why.data.kind = kind;
  return false;
}

}  // namespace

time_rules::time_rules(const policy& p, moment now)
    : policy_(p),
      now_(now),
      prime_(p.prime_status_at(now)),
      settings_(p.in(prime_)),
      dedicated_now_(p.dedicated.at(now)),
      dedicated_next_(p.dedicated.next_after(now)) {}

std::string time_rules::status_line() const {
  const std::string what = prime_.prime ? "It is primetime.  It will " : "It is non-primetime.  It will ";
  if (!prime_.ends) return what + "never end";
  return what + "end in " + std::to_string(*prime_.ends - now_) + " seconds at " + print_local(policy_.zone.local(*prime_.ends));
}

bool time_rules::queue_may_run(std::string_view queue, refusal& why) const {
  using kind = schema::Why::Kind;
  if (is_dedicated(queue) != (dedicated_now_ != nullptr))
    return refuse(why, kind::DEDICATED, "Dedicated time conflict", "Dedicated Time");
  if (begins(queue, policy_.primetime_prefix) && !prime_.prime)
    return refuse(why, kind::PRIME_TIME, "Job will run in primetime only", "Job only runs in primetime");
  if (begins(queue, policy_.nonprimetime_prefix) && prime_.prime)
    return refuse(why, kind::PRIME_TIME, "Job will run in nonprimetime only", "Job only runs in nonprimetime");
  return true;
}

bool time_rules::may_begin(const job& j, std::string_view queue, refusal& why) const {
  const moment end = now_ + shortest_of(j);
  using kind = schema::Why::Kind;
  if (end > dedicated_boundary(queue).value_or(end))
    return refuse(why, kind::DEDICATED, "Job would cross dedicated time boundary", "Job would not finish before dedicated time");
  if (end <= prime_boundary(queue).value_or(end)) return true;
  const std::string into = prime_.prime ? "non-primetime" : "primetime";
  return refuse(why, kind::PRIME_TIME, "Job will cross into " + into, "Job would cross into " + into);
}

std::int64_t time_rules::longest(const job& j, std::string_view queue) const {
  auto seconds = duration_of(j);
  for (const auto& boundary : {dedicated_boundary(queue), prime_boundary(queue)})
    if (boundary) seconds = std::min(seconds, *boundary - now_);
  return seconds;
}

std::optional<moment> time_rules::next_change() const {
  auto next = prime_.ends;
  const auto or_sooner = [&](moment t) { next = next ? std::min(*next, t) : t; };
  if (dedicated_now_) or_sooner(dedicated_now_->to);
  if (dedicated_next_) or_sooner(dedicated_next_->from);
  return next;
}

std::vector<time_span> time_rules::possible_starts(const policy& p, moment now, std::int64_t seconds, std::string_view queue) {
  std::vector<time_span> out;
  refusal unused;
  std::optional<moment> from = now;
  for (int i = 0; from && i < changes_looked_at; ++i) {
    const time_rules then(p, *from);
    const auto change = then.next_change();
    auto to = change.value_or(endless);
    for (const auto& boundary : {then.dedicated_boundary(queue), then.prime_boundary(queue)})
      if (boundary) to = std::min(to, *boundary - seconds + 1);
    if (to > *from && then.queue_may_run(queue, unused)) {
      if (!out.empty() && out.back().to == *from) out.back().to = to;
      else out.push_back({*from, to});
    }
    from = change;
  }
  return out;
}

std::optional<moment> time_rules::dedicated_boundary(std::string_view queue) const {
  if (is_dedicated(queue)) return dedicated_now_ ? std::optional(dedicated_now_->to) : std::nullopt;
  return dedicated_next_ ? std::optional(dedicated_next_->from) : std::nullopt;
}

std::optional<moment> time_rules::prime_boundary(std::string_view queue) const {
  if (!settings_.backfill_prime || !prime_.ends) return std::nullopt;
  const bool any_time = !begins(queue, policy_.primetime_prefix) && !begins(queue, policy_.nonprimetime_prefix);
  if (any_time && policy_.prime_exempt_anytime_queues) return std::nullopt;
  return *prime_.ends + settings_.prime_spill;
}

}  // namespace annals::cycle
