// The site's scheduling policy: what sched_config says (pbs guide: sched_config). A value; the same text gives the same
// policy. Parameters that this release does not act on are accepted and change nothing (docs/design/0005-scheduling.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  bool operator==(const policy&) const = default;
};

struct parsed_policy {
  policy value;
  std::vector<std::string> complaints;  // log texts, class Fil, object sched_config, event 0040
};

// Never fails: a line that means nothing is a complaint, a parameter that is not there has its default.
parsed_policy parse_policy(std::string_view sched_config);

}  // namespace annals::cycle
