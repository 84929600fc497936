#include "actors/scheduler/cycle/job_terms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace annals::cycle {

namespace {

constexpr std::pair<std::string_view, job_terms::kind> words[] = {
    {"walltime", job_terms::kind::walltime},
    {"nodect", job_terms::kind::nodect},
    {"queue_priority", job_terms::kind::queue_priority},
    {"job_priority", job_terms::kind::job_priority},
    {"eligible_time", job_terms::kind::eligible_time},
    {"accrue_type", job_terms::kind::accrue_type},
    {"fairshare_perc", job_terms::kind::fairshare_perc},
    {"fair_share_perc", job_terms::kind::fairshare_perc},
    {"fairshare_tree_usage", job_terms::kind::fairshare_tree_usage},
    {"fairshare_factor", job_terms::kind::fairshare_factor},
};

// accrue_type, as the job shows it (pbs guide: eligible time).
constexpr double accrues_nothing = 0, accrues_ineligible = 1, accrues_eligible = 2;

}  // namespace

job_terms::job_terms(view& v, const policy& p, moment now)
    : resources_(v.resources()), settings_(v.settings()), queues_(v.queues()), jobs_(v.jobs()), shares_(v.shares()), now_(now) {
  if (v.shares().matter()) standing_ = &v.shares().stand(p.sharing.tree);
}

std::optional<job_terms::term> job_terms::find(const resource_table& resources, std::string_view name) {
  for (const auto& [word, what] : words)
    if (word == name) return term{what, no_resource};
  const auto r = resources.find(name);
  if (r == no_resource) return std::nullopt;
  if (!resources[r].numeric) return term{};
  return term{resources[r].type == attributes::value_type::duration ? kind::duration : kind::amount, r};
}

double job_terms::value(term t, const job& j) const {
  switch (t.what) {
    case kind::none: return 0;
    case kind::amount: return amount_of(t.resource, j);
    case kind::duration:
      for (const auto& [resource, seconds] : j.durations)
        if (resource == t.resource) return static_cast<double>(seconds);
      return 0;
    case kind::walltime: return j.walltime == no_walltime ? 0 : static_cast<double>(j.walltime);
    case kind::nodect: return static_cast<double>(jobs_.request_of(j).chunk_count);
    case kind::queue_priority: return static_cast<double>(queues_[j.queue].priority);
    case kind::job_priority: return j.priority;
    case kind::eligible_time: return eligible_time(j);
    case kind::accrue_type:
      if (!settings_.counts_eligible_time()) return accrues_nothing;
      return j.eligible_since_ns != 0 ? accrues_eligible : accrues_ineligible;
    case kind::fairshare_perc: return standing_->percentage(shares_.leaf_of(j));
    case kind::fairshare_tree_usage: return standing_->tree_usage(shares_.leaf_of(j));
    case kind::fairshare_factor: return factor(j);
  }
  return 0;
}

double job_terms::amount_of(resource_id r, const job& j) const {
  for (const want& w : jobs_.request_of(j).job_wide)
    if (w.resource == r) return resources_.number(r, w.value);
  return 0;
}

double job_terms::eligible_time(const job& j) const {
  if (!settings_.counts_eligible_time()) return 0;
  constexpr std::int64_t ns_per_second = 1'000'000'000;
  const auto growing = j.eligible_since_ns == 0 ? 0 : std::max<std::int64_t>(0, now_ - j.eligible_since_ns / ns_per_second);
  return static_cast<double>(j.eligible_seconds + growing);
}

double job_terms::factor(const job& j) const {
  const auto leaf = shares_.leaf_of(j);
  const double part = standing_->percentage(leaf);
  return part > 0 ? std::exp2(-standing_->tree_usage(leaf) / part) : 0;
}

}  // namespace annals::cycle
