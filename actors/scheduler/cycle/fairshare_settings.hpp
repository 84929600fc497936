// What sched_config and resource_group say of fairshare (pbs guide: sched_config, fairshare). A value, part of the policy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "actors/scheduler/cycle/share_tree.hpp"
#include "events/values/fairshare_entity.hpp"
#include "events/values/usage_formula.hpp"

namespace annals::cycle {

struct fairshare_settings {
  bool ever = false;  // fair_share or a job_sort_key orders by shares at some time of the day: usage is counted always
  values::fairshare_entity entity = values::fairshare_entity::euser;
  std::string usage_text = "cput";  // fairshare_usage_res
  values::usage_formula usage = *values::usage_formula::parse("cput");
  std::uint64_t decay_seconds = 86400;  // fairshare_decay_time; 0: no decay
  double decay_factor = 0.5;
  std::int64_t unknown_shares = 0;  // shares of all who do not stand in resource_group, together
  bool enforce_no_shares = false;   // who has no share does not run
  std::shared_ptr<const share_tree> tree = std::make_shared<const share_tree>();

  bool operator==(const fairshare_settings& other) const;
};
// Whether the entity of a job and what it will use are the same by both: what a view keeps of each job while shares count.
bool count_the_same(const fairshare_settings& a, const fairshare_settings& b);

enum class line_kind : std::uint8_t { not_ours,
                                      taken,
                                      wrong };  // it has no value of its kind and changes nothing
// A line of sched_config.
line_kind read_fairshare_line(fairshare_settings& to, std::string_view name, std::string_view value);

}  // namespace annals::cycle
