#include "projections/status/partition.hpp"

#include "events/attributes/ids.hpp"
#include "projections/status/partition_rows.hpp"

namespace annals::projections {

std::string_view scheduler_of_partition(const status& from, std::string_view partition) {
  return scheduler_of_partition(from.schedulers(), partition);
}

std::optional<std::string_view> partition_of_scheduler(const status& from, std::string_view scheduler) {
  if (scheduler == model::default_scheduler) return std::string_view();
  const auto at = from.schedulers().find(scheduler);
  if (at == from.schedulers().end()) return std::nullopt;
  const auto its = model::placed_partition(at->second);
  if (its.empty() || scheduler_of_partition(from, its) != scheduler) return std::nullopt;
  return its;
}

std::string_view partition_of_queue(const status& from, std::string_view queue) { return partition_of_queue(from.queues(), queue); }

schema::JobWhy::Placing placing_of_partition(const status& from, std::string_view partition) {
  using placing = schema::JobWhy::Placing;
  const auto at = from.schedulers().find(scheduler_of_partition(from, partition));
  if (at == from.schedulers().end()) return placing::NOBODY;
  const auto on = partition.empty() ? from.server().attributes.get(attributes::server::scheduling)
                                    : at->second.attributes.get(attributes::scheduler::scheduling);
  if (on.value_or("") != "True") return placing::OFF;
  return at->second.connected ? placing::PLACED : placing::DOWN;
}

std::string_view partition_of_job(const status& from, const model::job_state& job) {
  return partition_of_job(from.queues(), from.holdings(), job);
}

}  // namespace annals::projections
