#include "projections/status/partition.hpp"

#include "events/attributes/ids.hpp"

namespace annals::projections {

std::string_view scheduler_of_partition(const status& from, std::string_view partition) {
  if (partition.empty()) return model::default_scheduler;
  const model::scheduler_state* first = nullptr;
  for (const auto& [name, s] : from.schedulers())
    if (model::placed_partition(s) == partition && (!first || s.serial < first->serial)) first = &s;
  return first ? std::string_view(first->name) : std::string_view();
}

std::optional<std::string_view> partition_of_scheduler(const status& from, std::string_view scheduler) {
  if (scheduler == model::default_scheduler) return std::string_view();
  const auto at = from.schedulers().find(scheduler);
  if (at == from.schedulers().end()) return std::nullopt;
  const auto its = model::placed_partition(at->second);
  if (its.empty() || scheduler_of_partition(from, its) != scheduler) return std::nullopt;
  return its;
}

std::string_view partition_of_queue(const status& from, std::string_view queue) {
  const auto at = from.queues().find(queue);
  return at == from.queues().end() ? std::string_view() : at->second.attributes.get(attributes::queue::partition).value_or("");
}

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
  if (job.allocated.empty()) return partition_of_queue(from, job.queue());
  return from.holdings().partition_of_first(job.allocated.exec_vnode());
}

}  // namespace annals::projections
