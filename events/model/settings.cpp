#include "events/model/settings.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"

namespace annals::model {

std::string_view settings::partition_of_queue(std::string_view name) const {
  const auto* its = queue(name);
  return its ? its->attributes.get(attributes::queue::partition).value_or("") : std::string_view();
}

std::string_view settings::scheduler_of_queue(std::string_view name) const {
  const auto partition = partition_of_queue(name);
  if (partition.empty()) return default_scheduler;
  const auto at = scheduler_of_partition.find(partition);
  return at == scheduler_of_partition.end() ? std::string_view() : at->second;
}

bool settings::places_jobs(std::string_view scheduler) const {
  return scheduler == default_scheduler ||
         std::any_of(scheduler_of_partition.begin(), scheduler_of_partition.end(), [&](const auto& s) { return s.second == scheduler; });
}

bool settings::is_off(std::string_view scheduler) const {
  return scheduler == default_scheduler ? !server_flag(attributes::server::scheduling, true) : schedulers_off.contains(scheduler);
}

}  // namespace annals::model
