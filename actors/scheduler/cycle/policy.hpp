// The site's scheduling policy: what sched_config and resource_group say (pbs guide: sched_config, fairshare). A value; the
// same text gives the same policy. Parameters that this release does not act on are accepted and change nothing
// (docs/design/0005-scheduling.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/scheduler/cycle/fairshare_settings.hpp"

namespace annals::cycle {

struct node_sort_key {
  enum class measure : std::uint8_t { total,
                                      assigned,
                                      unused };
  std::string resource;  // "sort_priority": the vnode's Priority
  bool high_first = true;
  measure by = measure::total;
  bool operator==(const node_sort_key&) const = default;
};

struct policy {
  bool by_queue = true;
  bool round_robin = false;
  std::vector<node_sort_key> node_sort_keys;   // first is primary
  std::vector<std::string> checked_resources;  // the resources line; booleans are always checked
  fairshare_settings sharing;
  bool operator==(const policy&) const = default;
};

struct parsed_policy {
  policy value;
  std::vector<std::string> complaints;            // log texts, class Fil, object sched_config, event 0040
  std::vector<group_complaint> group_complaints;  // of resource_group
};

// The policy files as one text, as it is kept in the log beside the cycles that used it: sched_config, and behind a line of its own
// resource_group. Without a resource_group that says something it is sched_config alone.
std::string policy_text(std::string_view sched_config, std::string_view resource_group);
constexpr const char* resource_group_line = "### resource_group ###";

// Never fails: a line that means nothing is a complaint, a parameter that is not there has its default. `text`: of policy_text.
parsed_policy parse_policy(std::string_view text);

}  // namespace annals::cycle
