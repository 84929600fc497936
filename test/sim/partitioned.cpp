#include "test/sim/partitioned.hpp"

#include <map>
#include <set>
#include <utility>

#include "events/log/log_reader.hpp"
#include "events/model/vnodes/amounts.hpp"

namespace annals::sim {

namespace {

schema::ManageVerb verb_for(const std::string& value) { return value.empty() ? schema::ManageVerb::UNSET : schema::ManageVerb::SET; }

std::string partition_of_host(int number) { return number % 3 == 1 ? "" : number % 3 == 2 ? "P1"
                                                                                          : "P2"; }

}  // namespace

partition_set_up::partition_set_up(bool wanted, int moms) : moms_(moms) {
  if (!wanted) return;
  using kind = schema::ObjectKind;
  using verb = schema::ManageVerb;
  for (const std::string n : {"1", "2"}) {
    requests_.push_back(managing(verb::CREATE, kind::SCHEDULER, "s" + n));
    requests_.push_back(managing(verb::CREATE, kind::QUEUE, "q" + n));
    requests_.push_back(managing(verb::SET, kind::QUEUE, "q" + n, {{"queue_type", "Execution"}, {"enabled", "True"}, {"started", "True"}}));
  }
  first_change_ = requests_.size();
  for (const std::string n : {"1", "2"}) requests_.push_back(managing(verb::UNSET, kind::SCHEDULER, "s" + n, {{"partition", ""}}));
  for (const std::string n : {"1", "2"}) {
    requests_.push_back(managing(verb::SET, kind::SCHEDULER, "s" + n, {{"partition", "P" + n}, {"scheduling", "True"}}));
    requests_.push_back(managing(verb::SET, kind::QUEUE, "q" + n, {{"partition", "P" + n}}));
  }
  requests_.push_back(managing(verb::UNSET, kind::QUEUE, "workq", {{"partition", ""}}));
  for (int i = 1; i <= moms; ++i) {
    const auto partition = partition_of_host(i);
    requests_.push_back(managing(verb_for(partition), kind::NODE, "n" + std::to_string(i), {{"partition", partition}}));
  }
}

void partition_set_up::restore() {
  next_ = first_change_;
  asked_ = 0;
}

schema::sealed<schema::Request> partition_set_up::drawn_change(std::uint64_t id, std::mt19937_64& random) const {
  static constexpr const char* partitions[] = {"", "P1", "P2"};
  const std::string partition = partitions[random() % 3];
  const auto to = [&](schema::ObjectKind kind, const std::string& name) {
    return managing(verb_for(partition), kind, name, {{"partition", partition}}, id);
  };
  switch (random() % 3) {
    case 0: return to(schema::ObjectKind::NODE, "n" + std::to_string(1 + random() % static_cast<unsigned>(moms_)));
    case 1: return to(schema::ObjectKind::QUEUE, partitioned_queues[random() % partitioned_queues.size()]);
    default: return to(schema::ObjectKind::SCHEDULER, random() % 2 ? "s1" : "s2");
  }
}

// -- checks ------------------------------------------------------------------------------------------------------------------

namespace {

// A slow recount of what the ledger and the rules keep.
struct recount {
  std::map<std::string, std::string> of_vnode;
  std::map<std::uint64_t, std::string> of_queue, of_scheduler, of_run, queue_of_job, queue_names, scheduler_names;
  std::string fault;

  static void take(std::string& partition, capnp::List<schema::Attribute>::Reader changes) {
    for (auto c : changes)
      if (c.getName() == "partition") partition = c.getOp() == schema::AttributeOp::UNSET ? "" : schema::str(c.getValue());
  }

  std::string partition_of_queue(const std::string& name) const {
    for (const auto& [stream, queue] : queue_names)
      if (queue == name && of_queue.contains(stream)) return of_queue.at(stream);
    return "";
  }

  void all_in(capnp::Text::Reader exec_vnode, const std::string& partition, std::uint64_t job) {
    for (const auto& part : model::parts_of(schema::text(exec_vnode)))
      if (of_vnode[part.vnode] != partition)
        fault =
            "stream " + std::to_string(job) + " of partition '" + partition + "' got " + part.vnode + " of '" + of_vnode[part.vnode] + "'";
  }

  void see_job(std::uint64_t stream, schema::JobEvent::Reader e) {
    if (e.isQueued()) queue_of_job[stream] = schema::str(e.getQueued().getQueue());
    if (e.isMoved()) queue_of_job[stream] = schema::str(e.getMoved().getQueue());
    if (e.isVnodesTaken()) all_in(e.getVnodesTaken().getExecVnode(), of_run[stream], stream);
    if (!e.isAssigned()) return;
    of_run[stream] = partition_of_queue(queue_of_job[stream]);
    all_in(e.getAssigned().getExecVnode(), of_run[stream], stream);
    const auto slots = schema::str(e.getAssigned().getExecHost());
    if (slots.find(greedy_slot) != std::string::npos && of_run[stream] != "P2")
      fault = "stream " + std::to_string(stream) + " of partition '" + of_run[stream] + "' was placed by s2";
  }

  void see_scheduler(std::uint64_t stream, schema::SchedulerEvent::Reader e) {
    if (e.isCreated()) scheduler_names[stream] = schema::str(e.getCreated().getName());
    if (!e.isChanged()) return;
    take(of_scheduler[stream], e.getChanged().getChanges());
    std::set<std::string> taken;
    for (const auto& [scheduler, partition] : of_scheduler)
      if (!partition.empty() && !taken.insert(partition).second) fault = "two schedulers have partition " + partition;
  }

  void see(std::uint64_t stream, schema::Event::Reader e) {
    if (e.isJob()) see_job(stream, e.getJob());
    if (e.isScheduler()) see_scheduler(stream, e.getScheduler());
    if (schema::is(e, schema::QueueEvent::CREATED)) queue_names[stream] = schema::str(e.getQueue().getCreated().getName());
    if (schema::is(e, schema::QueueEvent::CHANGED)) take(of_queue[stream], e.getQueue().getChanged().getChanges());
    if (schema::is(e, schema::HostEvent::VNODE_CHANGED)) {
      const auto changed = e.getHost().getVnodeChanged();
      take(of_vnode[schema::str(changed.getVnode())], changed.getChanges());
    }
  }
};

}  // namespace

std::string check_partitions(const ports::event_store& store) {
  recount all;
  log::log_reader reader(store);
  (void)reader.read(1, [&](const log::record_ptr& r) {
    all.see(r->get().getStream(), r->event());
    if (!all.fault.empty()) all.fault += " at sequence " + std::to_string(r->sequence());
    return all.fault.empty();
  });
  return all.fault;
}

}  // namespace annals::sim
