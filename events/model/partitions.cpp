#include "events/model/partitions.hpp"

#include "events/attributes/ids.hpp"
#include "events/model/refuse.hpp"

namespace annals::model {

namespace ids = attributes::node;
namespace pbs_error = values::pbs_error;

namespace {

using changes = capnp::List<schema::Attribute>::Reader;

// What an attribute becomes by these changes; nothing: they don't name it.
std::optional<std::string_view> becomes(changes all, std::string_view attribute) {
  std::optional<std::string_view> value;
  for (auto c : all)
    if (schema::text(c.getName()) == attribute)
      value = c.getOp() == schema::AttributeOp::UNSET ? std::string_view() : std::string_view(schema::text(c.getValue()));
  return value;
}

// The text of the number with the name in the place of its %s.
rejection about(std::uint32_t code, std::string_view name) {
  std::string text(values::pbs_error_text(code));
  if (const auto at = text.find("%s"); at != std::string::npos) text.replace(at, 2, name);
  return refuse(code, std::move(text));
}

bool has_jobs(std::string_view vnode, const holdings& vnodes, const given_up_vnodes& suspended) {
  const auto* use = vnodes.find(vnode);
  return (use && !use->jobs.empty()) || suspended.job_on(vnode);
}

}  // namespace

// Before vnodes and a queue that are linked come into a partition, the links are unset. All vnodes are looked at: ten milliseconds for
// 100,000, and queues rarely change their partition.
std::optional<rejection> partitions::check(const event_place& at, schema::QueueEvent::Reader event, const holdings& vnodes) const {
  if (!event.isChanged()) return std::nullopt;
  const auto wanted = becomes(event.getChanged().getChanges(), "partition");
  const auto queue = queues_.find(at.stream);
  if (!wanted || queue == queues_.end() || *wanted == queue->second.partition) return std::nullopt;
  for (const auto& [serial, host] : vnodes.hosts())
    for (const auto& v : host.vnodes) {
      const auto its = v.attributes.get(ids::partition).value_or("");
      if (its != *wanted && v.attributes.get(ids::queue) == queue->second.name) return refuse(pbs_error::invalid_queue_partition);
    }
  return std::nullopt;
}

std::optional<rejection> partitions::check(const event_place& at, schema::SchedulerEvent::Reader event) const {
  if (!event.isChanged()) return std::nullopt;
  const auto wanted = becomes(event.getChanged().getChanges(), "partition").value_or("");
  if (wanted.empty()) return std::nullopt;
  for (const auto& [stream, scheduler] : schedulers_)
    if (stream != at.stream && scheduler.partition == wanted)
      return refuse(pbs_error::partition_in_use,
                    "Partition " + std::string(wanted) + " is already associated with scheduler " + scheduler.name + ".");
  return std::nullopt;
}

// A vnode in no partition may be linked to a queue that is in one, as in PBS: its partition is set afterwards.
std::optional<rejection> partitions::check(schema::VnodeChanged::Reader event, const holdings& vnodes,
                                           const given_up_vnodes& suspended) const {
  const auto partition_wanted = becomes(event.getChanges(), "partition"), queue_wanted = becomes(event.getChanges(), "queue");
  if (!partition_wanted && !queue_wanted) return std::nullopt;
  const auto name = schema::text(event.getVnode());
  const auto* host = vnodes.host_of(name);
  const auto* vnode = host ? host->vnode(name) : nullptr;
  if (!vnode) return std::nullopt;
  const auto has = [&](attributes::attribute_id id) { return vnode->attributes.get(id).value_or(""); };
  const auto partition = partition_wanted.value_or(has(ids::partition)), queue = queue_wanted.value_or(has(ids::queue));
  const bool leaves = partition != has(ids::partition);
  if (leaves && has_jobs(name, vnodes, suspended)) return refuse(pbs_error::node_busy);
  if (!leaves && queue == has(ids::queue)) return std::nullopt;
  if (partition.empty() || queue.empty() || partition == of_queue(queue)) return std::nullopt;
  if (leaves) return about(pbs_error::queue_not_in_partition, queue);
  return about(pbs_error::partition_not_in_queue, partition);
}

template <class Event>
void partitions::apply_to(members& of, const event_place& at, Event event) {
  if (event.isCreated()) of[at.stream].name = schema::str(event.getCreated().getName());
  if (event.isDeleted()) of.erase(at.stream);
  if (!event.isChanged()) return;
  if (const auto now = becomes(event.getChanged().getChanges(), "partition")) of[at.stream].partition = *now;
}

void partitions::apply(const event_place& at, schema::QueueEvent::Reader event) {
  if (const auto before = queues_.find(at.stream); before != queues_.end()) of_queue_.erase(before->second.name);
  apply_to(queues_, at, event);
  if (const auto now = queues_.find(at.stream); now != queues_.end() && !now->second.partition.empty())
    of_queue_[now->second.name] = now->second.partition;
}

void partitions::apply(const event_place& at, schema::SchedulerEvent::Reader event) { apply_to(schedulers_, at, event); }

std::string_view partitions::of_queue(std::string_view queue) const {
  const auto at = of_queue_.find(queue);
  return at == of_queue_.end() ? std::string_view() : std::string_view(at->second);
}

}  // namespace annals::model
