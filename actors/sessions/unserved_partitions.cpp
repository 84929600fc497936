#include "actors/sessions/unserved_partitions.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/values/job_id.hpp"
#include "projections/status/partition.hpp"

namespace annals::actors {

namespace {

bool names_partition(capnp::List<schema::Attribute>::Reader changes) {
  for (const auto change : changes)
    if (schema::text(change.getName()) == "partition") return true;
  return false;
}

// A job comes into a queue.
bool is_arrival(schema::Event::Reader event) {
  return schema::is(event, schema::JobEvent::MOVED) ||
         (schema::is(event, schema::JobEvent::QUEUED) && !values::is_subjob(event.getJob().getQueued().getNumber()));
}

bool alters_partitions(schema::Event::Reader event) {
  if (event.isQueue()) return event.getQueue().isChanged() && names_partition(event.getQueue().getChanged().getChanges());
  if (!event.isScheduler()) return false;
  const auto e = event.getScheduler();
  return e.isDeleted() || (e.isChanged() && names_partition(e.getChanged().getChanges()));
}

}  // namespace

std::vector<std::string> lines_of_unreachable(std::string_view partition) {
  const std::string text = "Unable to reach scheduler associated with partition ", its(partition);
  return {text + "[" + its + "]", text + its};
}

std::vector<std::string> unserved_partitions::folded(const log::record& record) {
  std::vector<std::string> lines;
  const auto event = record.event();
  if (is_arrival(event)) {
    if (const auto job = from_.job(record.get().getStream())) look(job->queue(), lines);
  } else if (alters_partitions(event)) {
    std::erase_if(said_, [this](const std::string& partition) { return !is_unserved(partition); });
    look_at_all(lines);
  }
  return lines;
}

bool unserved_partitions::is_unserved(std::string_view partition) const {
  return !partition.empty() && projections::scheduler_of_partition(from_, partition).empty();
}

void unserved_partitions::look(std::string_view queue, std::vector<std::string>& lines) {
  const auto partition = projections::partition_of_queue(from_, queue);
  if (!is_unserved(partition) || !said_.emplace(partition).second) return;
  for (auto& line : lines_of_unreachable(partition)) lines.push_back(std::move(line));
}

// Jobs that were there before their partition lost its scheduler, or their queue came into one that has none.
void unserved_partitions::look_at_all(std::vector<std::string>& lines) {
  const auto is_new = [this](const auto& queue) {
    const auto partition = projections::partition_of_queue(from_, queue.first);
    return is_unserved(partition) && !said_.contains(partition);
  };
  if (std::ranges::none_of(from_.queues(), is_new)) return;
  from_.each_in_memory([&](const model::job_state& job) {
    if (!job.ended() && job.allocated.empty()) look(job.queue(), lines);
    return true;
  });
}

}  // namespace annals::actors
