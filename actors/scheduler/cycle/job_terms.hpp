// The numbers of a job that job_sort_key and job_sort_formula name (pbs guide: terms of the job sort formula).
#pragma once

#include <optional>
#include <string_view>

#include "actors/scheduler/cycle/moment.hpp"
#include "actors/scheduler/cycle/policy.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

class job_terms {
 public:
  enum class kind : std::uint8_t { none,  // 0
                                   amount,
                                   duration,
                                   walltime,
                                   nodect,
                                   queue_priority,
                                   job_priority,
                                   eligible_time,
                                   accrue_type,
                                   fairshare_perc,
                                   fairshare_tree_usage,
                                   fairshare_factor };
  struct term {
    kind what = kind::none;
    resource_id resource = no_resource;
  };

  // The view counts by this policy.
  job_terms(view& v, const policy& p, moment now);

  // Nothing: no resource and no term has this name.
  static std::optional<term> find(const resource_table& resources, std::string_view name);
  // 0 of what the job does not ask for.
  double value(term t, const job& j) const;

 private:
  double amount_of(resource_id r, const job& j) const;
  double eligible_time(const job& j) const;
  double factor(const job& j) const;

  const resource_table& resources_;
  const site_settings& settings_;
  const queue_table& queues_;
  const job_table& jobs_;
  const entity_shares& shares_;
  moment now_;
  const fairshare_standing* standing_ = nullptr;  // while shares count: always when a term is one
};

}  // namespace annals::cycle
