#include "projections/scheduling/scheduling.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/model/job/routing.hpp"
#include "events/values/exec_vnode.hpp"
#include "projections/scheduling/scheduling_rows.hpp"
#include "projections/status/eligible_time.hpp"
#include "projections/status/partition.hpp"

namespace annals::projections {

namespace {
// Rows per message. A row is a few hundred bytes, a vnode's grows by 16 bytes with each of its jobs: 500 rows stay far below
// the largest frame (limits::daemon_frame_bytes_max) even when each vnode runs a thousand jobs.
constexpr std::size_t rows_per_message = 500;
// A reservation's row grows with its places: two of the largest (limits::chunks_ahead_max) are a megabyte. A job's grows with its select.
constexpr std::size_t bytes_per_message = 2u << 20;

bool changes(capnp::List<schema::Attribute>::Reader all, const char* name) {
  for (auto c : all)
    if (c.getName() == name) return true;
  return false;
}
// Nobody places what waits in a routing queue.
bool is_to_be_run(const model::job_state& job) { return !job.allocated.empty() || !model::in_routing_queue(job); }
// A subjob that waits is about to be its array's again, and an array may have no other to run.
bool waits_itself(const model::job_state& job) {
  return job.phase == model::job_phase::queued && !job.is_subjob() && (!job.array || !job.array->remaining.empty());
}
bool changes_partition(capnp::List<schema::Attribute>::Reader all) { return changes(all, "partition"); }

const model::queue_state* queue_of_stream(const status& from, std::uint64_t serial) {
  for (const auto& [name, queue] : from.queues())
    if (queue.serial == serial) return &queue;
  return nullptr;
}
}  // namespace

bool scheduling_projection::marks::empty() const {
  return reservations.empty() && jobs.empty() && hosts.empty() && queues.empty() && vnodes.empty() && queues_of_jobs.empty() && !server &&
         !scheduler && !resources && !partition;
}

// -- marking -------------------------------------------------------------------------------------------------------------

void scheduling_projection::apply(const log::record& record) {
  const auto r = record.get();
  epoch_ = r.getWriterEpoch();
  if (!following_) return;
  const auto event = r.getEvent();
  switch (event.which()) {
    case schema::StreamKind::JOB: return mark_job_event(r.getStream(), event.getJob());
    case schema::StreamKind::HOST: return mark_host_event(r.getStream(), event.getHost());
    case schema::StreamKind::QUEUE: return mark_queue_event(r.getStream(), event.getQueue());
    case schema::StreamKind::SERVER: return mark_server_event(event.getServer());
    case schema::StreamKind::SCHEDULER: return mark_scheduler_event(r.getStream(), event.getScheduler());
    case schema::StreamKind::RESERVATION: return mark_reservation(r.getStream());
    case schema::StreamKind::HOOK:
    case schema::StreamKind::RUN:
    case schema::StreamKind::PART:
    case schema::StreamKind::LOG: return;
  }
}

// Queues are few: whichever it was, all are looked at again.
void scheduling_projection::mark_queue_event(std::uint64_t serial, schema::QueueEvent::Reader event) {
  for (const auto& [name, queue] : from_.queues()) marks_.queues.insert(name);
  marks_.queues.insert(sent_queues_.begin(), sent_queues_.end());
  if (!event.isChanged() || !changes_partition(event.getChanged().getChanges())) return;
  if (const auto* queue = queue_of_stream(from_, serial)) marks_.queues_of_jobs.insert(queue->name);
}

void scheduling_projection::mark_scheduler_event(std::uint64_t serial, schema::SchedulerEvent::Reader event) {
  const auto own = from_.schedulers().find(scheduler_);
  // A reason that began or ended eligible time changes what the scheduler knows of the job.
  if (event.isCycleReasons())
    for (auto told : event.getCycleReasons().getJobs())
      if (const auto job = from_.job(told.getJob());
          job && accrual_changed_at(from_.told_of(*job).eligible, from_.wall_ns() / 1'000'000'000))
        mark_job(told.getJob());
  if (event.isChanged() && own != from_.schedulers().end() && own->second.serial == serial) marks_.scheduler = true;
  // Whose a partition is may depend on another scheduler, of a log from before these rules.
  if (event.isCreated() || event.isDeleted() || (event.isChanged() && changes_partition(event.getChanged().getChanges())))
    marks_.partition = true;
}

void scheduling_projection::mark_server_event(schema::ServerEvent::Reader event) {
  using which = schema::ServerEvent::Which;
  switch (event.which()) {
    case which::CHANGED:
      marks_.server = true;
      if (changes(event.getChanged().getChanges(), "eligible_time_enable")) marks_.resources = true;  // of each job: a whole view
      return;
    case which::RESOURCE_CREATED:
    case which::RESOURCE_CHANGED:
    case which::RESOURCE_DELETED: marks_.resources = true; return;
    default: return;
  }
}

void scheduling_projection::mark_vnodes(capnp::Text::Reader exec_vnode) {
  values::exec_vnode_reader parts(schema::text(exec_vnode));
  const bool all = !from_.holdings().has_partitions();
  for (values::exec_vnode_reader::part p; parts.next(p);) {
    std::string name(p.vnode);
    if (all || has_vnode(name)) marks_.vnodes.insert(std::move(name));
  }
}

void scheduling_projection::mark_job_event(std::uint64_t serial, schema::JobEvent::Reader event) {
  using which = schema::JobEvent::Which;
  switch (event.which()) {
    case which::USAGE_REPORTED:  // these change nothing that a cycle looks at
    case which::RUN_STEP:
    case which::OUTPUT_DELIVERED:
    case which::MESSAGED: return;
    case which::STARTED:  // but whether its host can checkpoint it
      if (!event.getStarted().getCanCheckpoint()) return;
      break;
    case which::SIGNALLED:
      if (!event.getSignalled().getCheckpoint() && event.getSignalled().getLoadHost().size() == 0) return;
      break;
    case which::REQUEST_DONE:
      if (const auto job = from_.job(serial); !job || job->can_checkpoint || job->attribute(attributes::job::Checkpoint) == "n") return;
      break;
    case which::ASSIGNED: mark_vnodes(event.getAssigned().getExecVnode()); break;
    case which::VNODES_TAKEN: mark_vnodes(event.getVnodesTaken().getExecVnode()); break;
    case which::VNODES_RELEASED: mark_vnodes(event.getVnodesReleased().getExecVnode()); break;
    case which::SUSPENDED:  // maintenance may begin or end where it is
    case which::RESUMED:
      if (const auto job = from_.job(serial)) mark_vnodes(job->allocated.exec_vnode());
      break;
    case which::ENDED:
    case which::FORGOTTEN:
      if (!sent_jobs_.contains(serial)) return;  // it came and went between two deltas
      break;
    default: break;
  }
  mark_job(serial);
}

void scheduling_projection::mark_job(std::uint64_t serial) {
  if (has_job(serial)) marks_.jobs.insert(marks_.jobs.end(), serial);  // serials rise: new jobs come last
}

void scheduling_projection::let_rest(std::uint64_t serial) {
  if (resting_.insert(serial).second && following_) mark_job(serial);
}

bool scheduling_projection::has_rested(std::uint64_t serial) {
  if (resting_.erase(serial) == 0 || !following_ || !has_job(serial)) return false;
  mark_job(serial);
  return true;
}

bool scheduling_projection::give(std::uint64_t serial) {
  if (held_back_.erase(serial) == 0 || !following_ || !has_job(serial)) return false;
  mark_job(serial);
  return true;
}

void scheduling_projection::mark_reservation(std::uint64_t serial) {
  if (has_reservation(serial)) marks_.reservations.insert(serial);
}

void scheduling_projection::mark_host_event(std::uint64_t serial, schema::HostEvent::Reader event) {
  using which = schema::HostEvent::Which;
  switch (event.which()) {
    case which::VNODE_CHANGED: marks_.vnodes.insert(schema::str(event.getVnodeChanged().getVnode())); return;
    case which::VNODE_DELETED: marks_.vnodes.insert(schema::str(event.getVnodeDeleted().getName())); return;
    case which::VNODE_CREATED: marks_.vnodes.insert(schema::str(event.getVnodeCreated().getName())); return;
    case which::REMOVED:
      marks_.vnodes.insert(sent_vnodes_.begin(), sent_vnodes_.end());
      [[fallthrough]];
    case which::ADDED:
    case which::CAME_UP:
    case which::WENT_DOWN: marks_.hosts.insert(serial); return;
    default: return;
  }
}

// -- telling -------------------------------------------------------------------------------------------------------------

bool scheduling_projection::has_vnode(const std::string& name) const {
  return sent_vnodes_.contains(name) || has(from_.holdings().partition_of(name));
}

bool scheduling_projection::has_job(std::uint64_t serial) const {
  if (sent_jobs_.contains(serial)) return true;
  const auto job = from_.job(serial);
  return job && is_to_be_run(*job) && has(partition_of_job(from_, *job));
}

// One that nobody has found a place for is everybody's to look at.
bool scheduling_projection::shows(const model::reservation_state& r) const {
  if (r.placed) return r.has_queue() && has(r.partition);
  return partition_ && r.ask && !r.ask->refused_by.contains(scheduler_);
}

bool scheduling_projection::has_reservation(std::uint64_t serial) const {
  if (sent_reservations_.contains(serial)) return true;
  const auto at = from_.reservations().find(serial);
  return at != from_.reservations().end() && shows(at->second);
}

bool scheduling_projection::has_queue(const model::queue_state& queue) const {
  return has(queue.attributes.get(attributes::queue::partition).value_or(""));
}

bool scheduling_projection::has_host(std::uint64_t serial, schema::HostEvent::Reader event) const {
  if (event.isVnodeChanged()) return has_vnode(schema::str(event.getVnodeChanged().getVnode()));
  if (event.isVnodeCreated()) return has_vnode(schema::str(event.getVnodeCreated().getName()));
  if (event.isVnodeDeleted()) return has_vnode(schema::str(event.getVnodeDeleted().getName()));
  const auto host = from_.hosts().find(serial);
  if (host == from_.hosts().end()) return true;
  const auto& vnodes = host->second.vnodes;
  return std::any_of(vnodes.begin(), vnodes.end(), [&](const auto& v) { return has_vnode(v.name); });
}

bool scheduling_projection::in_view(const model::job_state& job) const {
  return is_to_be_run(job) &&
         (!job.allocated.empty() || (waits_itself(job) && !resting_.contains(job.serial) && !held_back_.contains(job.serial))) &&
         has(partition_of_job(from_, job));
}

bool scheduling_projection::concerns(const log::record& record) const {
  if (!following_) return false;
  const auto stream = record.get().getStream();
  const auto event = record.event();
  switch (event.which()) {
    case schema::Event::JOB: return has_job(stream);
    case schema::Event::HOST: return has_host(stream, event.getHost());
    case schema::Event::SERVER: return true;
    case schema::Event::QUEUE: {
      const auto* queue = queue_of_stream(from_, stream);
      return !queue || has_queue(*queue) || sent_queues_.contains(queue->name);
    }
    case schema::Event::SCHEDULER: {
      const auto own = from_.schedulers().find(scheduler_);
      return (own != from_.schedulers().end() && own->second.serial == stream) ||
             (marks_.partition && partition_of_scheduler(from_, scheduler_) != partition_);
    }
    case schema::Event::RESERVATION: return has_reservation(stream);
    case schema::Event::HOOK:
    case schema::Event::RUN:
    case schema::Event::PART:
    case schema::Event::LOG: return false;
  }
  return false;
}

void scheduling_projection::stop() {
  following_ = false;
  partition_.reset();
  marks_ = {};
  sent_jobs_.clear();
  sent_vnodes_.clear();
  sent_reservations_.clear();
  sent_queues_.clear();
}

std::vector<scheduling_projection::message> scheduling_projection::full_view() {
  stop();
  following_ = true;
  partition_ = partition_of_scheduler(from_, scheduler_);
  marks all;
  all.server = all.scheduler = all.resources = true;
  for (const auto& [name, queue] : from_.queues()) all.queues.insert(name);
  for (const auto& [serial, host] : from_.hosts()) all.hosts.insert(serial);
  for (const auto& [serial, r] : from_.reservations()) all.reservations.insert(serial);
  from_.each_in_memory([&](const model::job_state& job) {
    if (in_view(job)) all.jobs.insert(job.serial);
    return true;
  });
  return messages(all, true);
}

std::vector<scheduling_projection::message> scheduling_projection::take_delta() {
  if (marks_.empty()) {
    std::vector<message> usages;
    if (following_) usages_.append(usages, epoch_, sent_sequence_, false);
    if (!usages.empty()) sent_sequence_ = from_.sequence();
    return usages;
  }
  // What a resource's type means for amounts that were read before can't be told in a delta.
  if (marks_.resources) return full_view();
  if (marks_.partition && partition_of_scheduler(from_, scheduler_) != partition_) return full_view();
  marks changed = std::move(marks_);
  marks_ = {};
  mark_what_moved(changed);
  return messages(changed, false);
}

// The jobs that come and go with their queues: every job is looked at, which is rare.
void scheduling_projection::mark_what_moved(marks& changed) const {
  std::erase_if(changed.queues_of_jobs, [&](const auto& name) {
    const auto at = from_.queues().find(name);
    return !sent_queues_.contains(name) && (at == from_.queues().end() || !has_queue(at->second));
  });
  if (changed.queues_of_jobs.empty()) return;
  from_.each_in_memory([&](const model::job_state& job) {
    if (changed.queues_of_jobs.contains(job.queue())) changed.jobs.insert(job.serial);
    return true;
  });
}

// What the rows of the next messages are made of.
struct scheduling_projection::news {
  struct vnode_at {
    const model::host_state* host;
    const model::vnode_state* vnode;
  };
  std::vector<vnode_at> vnodes;
  std::vector<const model::queue_state*> queues;
  std::vector<const model::job_state*> jobs;
  std::vector<std::string> vnodes_gone, queues_gone;
  std::vector<const model::reservation_state*> reservations;
  std::vector<std::uint64_t> jobs_gone, reservations_gone;
};

scheduling_projection::news scheduling_projection::gather(const marks& changed) {
  news out;
  auto vnode_names = changed.vnodes;
  for (const auto serial : changed.hosts)
    if (const auto host = from_.hosts().find(serial); host != from_.hosts().end())
      for (const auto& v : host->second.vnodes) vnode_names.insert(v.name);
  for (const auto& name : vnode_names) {
    const auto [host, partition] = from_.holdings().place_of(name);
    const auto* vnode = host && has(partition) ? host->vnode(name) : nullptr;
    if (vnode) out.vnodes.push_back({host, vnode}), sent_vnodes_.insert(name);
    else if (sent_vnodes_.erase(name) > 0) out.vnodes_gone.push_back(name);
  }
  for (const auto& name : changed.queues) {
    const auto at = from_.queues().find(name);
    if (at != from_.queues().end() && has_queue(at->second)) out.queues.push_back(&at->second), sent_queues_.insert(name);
    else if (sent_queues_.erase(name) > 0) out.queues_gone.push_back(name);
  }
  for (const auto serial : changed.reservations) {
    const auto at = from_.reservations().find(serial);
    if (at != from_.reservations().end() && shows(at->second)) out.reservations.push_back(&at->second), sent_reservations_.insert(serial);
    else if (sent_reservations_.erase(serial) > 0) out.reservations_gone.push_back(serial);
  }
  for (const auto serial : changed.jobs) {
    const auto job = from_.job(serial);
    if (job && in_view(*job)) out.jobs.push_back(job.get()), sent_jobs_.insert(serial);
    else if (sent_jobs_.erase(serial) > 0) out.jobs_gone.push_back(serial);
  }
  return out;
}

void scheduling_projection::fill_few(schema::SchedulingDelta::Builder d, const marks& changed, const news& what) const {
  if (changed.server) fill_server(d, from_.server());
  const auto own = from_.schedulers().find(scheduler_);
  if (changed.scheduler && own != from_.schedulers().end()) fill_scheduler(d, own->second);
  if (changed.resources) fill_resources(d, from_.server().resources);
  auto queues = d.initQueues(static_cast<unsigned>(what.queues.size()));
  for (unsigned i = 0; i < queues.size(); ++i) fill_queue(queues[i], *what.queues[i]);
  auto reservations_gone = d.initReservationsGone(static_cast<unsigned>(what.reservations_gone.size()));
  for (unsigned i = 0; i < reservations_gone.size(); ++i) reservations_gone.set(i, what.reservations_gone[i]);
  auto queues_gone = d.initQueuesGone(static_cast<unsigned>(what.queues_gone.size()));
  for (unsigned i = 0; i < queues_gone.size(); ++i) queues_gone.set(i, what.queues_gone[i]);
  auto vnodes_gone = d.initVnodesGone(static_cast<unsigned>(what.vnodes_gone.size()));
  for (unsigned i = 0; i < vnodes_gone.size(); ++i) vnodes_gone.set(i, what.vnodes_gone[i]);
  auto jobs_gone = d.initJobsGone(static_cast<unsigned>(what.jobs_gone.size()));
  for (unsigned i = 0; i < jobs_gone.size(); ++i) jobs_gone.set(i, what.jobs_gone[i]);
}

namespace {

// About so many bytes in a message.
std::size_t bytes_of(const model::reservation_state& r) {
  constexpr std::size_t for_each = 64;
  std::size_t bytes = 1024 + (r.ask ? r.ask->wanted.size() * for_each : 0);
  for (auto o = r.occurrences.begin() + r.over; o != r.occurrences.end(); ++o) bytes += for_each + o->exec_vnode.size();
  return bytes;
}

std::size_t bytes_of(const model::job_state& job) {
  std::size_t bytes = 512 + 2 * job.attributes.get(attributes::job::Resource_List, "select").value_or("").size();
  for (const auto id : {attributes::job::schedselect, attributes::job::exec_vnode, attributes::job::exec_host, attributes::job::depend})
    bytes += 2 * job.attribute(id).size();
  return bytes;
}

// A piece has one at least, unless there is room for none.
template <class Row>
std::size_t end_of_piece(const std::vector<const Row*>& all, std::size_t from, std::size_t room) {
  auto end = from;
  const auto most = std::min(all.size(), from + room);
  for (std::size_t bytes = 0; end < most && (end == from || bytes < bytes_per_message); ++end) bytes += bytes_of(*all[end]);
  return end;
}

}  // namespace

std::vector<scheduling_projection::message> scheduling_projection::messages(const marks& changed, bool full) {
  const news what = gather(changed);
  const std::uint64_t before = full ? 0 : sent_sequence_;
  std::vector<message> out;
  std::size_t reservation = 0, vnode = 0, job = 0;  // the next rows: first all reservations, then all vnodes, then jobs
  do {
    const std::size_t reservation_end = end_of_piece(what.reservations, reservation, what.reservations.size());
    const bool reserved = reservation_end == what.reservations.size();
    const std::size_t vnode_end = reserved ? std::min(what.vnodes.size(), vnode + rows_per_message) : vnode;
    const std::size_t room = reserved && vnode_end == what.vnodes.size() ? rows_per_message - (vnode_end - vnode) : 0;
    const std::size_t job_end = end_of_piece(what.jobs, job, room);
    const bool first = out.empty(), last = reserved && vnode_end == what.vnodes.size() && job_end == what.jobs.size();
    out.push_back(schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) {
      auto d = m.initView();
      d.setEpoch(epoch_);
      d.setPrevious(before);
      d.setSequence(last ? from_.sequence() : before);  // true at the new sequence only with the last one
      d.setFull(full && first);
      if (first) fill_few(d, changed, what);
      for (auto row : d.initReservations(static_cast<unsigned>(reservation_end - reservation)))
        fill_reservation(row, *what.reservations[reservation++], from_.server().server_name, scheduler_);
      const auto row_count = static_cast<unsigned>(vnode_end - vnode);
      for (auto row : d.initVnodes(row_count)) {
        fill_vnode(row, from_, *what.vnodes[vnode].host, *what.vnodes[vnode].vnode);
        ++vnode;
      }
      for (auto row : d.initJobs(static_cast<unsigned>(job_end - job))) fill_job(row, from_, *what.jobs[job++]);
    }));
  } while (reservation < what.reservations.size() || vnode < what.vnodes.size() || job < what.jobs.size());
  sent_sequence_ = from_.sequence();
  usages_.append(out, epoch_, sent_sequence_, full);
  return out;
}

}  // namespace annals::projections
