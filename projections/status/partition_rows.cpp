#include "projections/status/partition_rows.hpp"

#include "events/attributes/ids.hpp"

namespace annals::projections {

std::string_view scheduler_of_partition(const scheduler_rows& schedulers, std::string_view partition) {
  if (partition.empty()) return model::default_scheduler;
  const model::scheduler_state* first = nullptr;
  for (const auto& [name, s] : schedulers)
    if (model::placed_partition(s) == partition && (!first || s.serial < first->serial)) first = &s;
  return first ? std::string_view(first->name) : std::string_view();
}

std::string_view partition_of_queue(const queue_rows& queues, std::string_view queue) {
  const auto at = queues.find(queue);
  return at == queues.end() ? std::string_view() : at->second.attributes.get(attributes::queue::partition).value_or("");
}

std::string_view partition_of_job(const queue_rows& queues, const model::holdings& holdings, const model::job_state& job) {
  if (job.allocated.empty()) return partition_of_queue(queues, job.queue());
  return holdings.partition_of_first(job.allocated.exec_vnode());
}

}  // namespace annals::projections
