// What a scheduler is told: the whole view when it comes, then deltas of what changed. Keeps only marks of what changed;
// the rows themselves are made from the status projection, so that no job's state is held twice.
//
// A view holds the queues, vnodes and jobs of the scheduler's own partition; the default scheduler's what is in none; that of a
// scheduler without a partition none at all. What comes to another partition leaves the view with the next delta (MS-35, MS-93).
//
// One per connected scheduler. Promise: a scheduler that took in the full view and every delta after it sees, at the
// sequence of the last one, exactly what the full view of that moment would show. Governed by docs/design/0005-scheduling.md.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "events/log/record.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "projections/scheduling/usage_news.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

class scheduling_projection {
 public:
  using message = schema::sealed<schema::ToScheduler>;  // its view

  // `scheduler` is the name of the scheduler object; `from` must outlive this and have folded a record before apply sees it.
  scheduling_projection(const status& from, std::string scheduler)
      : from_(from), scheduler_(std::move(scheduler)), usages_(from, scheduler_) {}

  void apply(const log::record& record);  // marks what changed; nothing before the first full view
  // Whether a record, when apply has seen it, says something of what is or was in the view: server, queues, vnodes, jobs, the scheduler.
  bool concerns(const log::record& record) const;
  void stop();  // nobody has the view any more: nothing is marked until the next full one

  // Messages in the order to send them, each well below the largest frame. The deltas of one answer are true together:
  // only the last one moves the view to the new sequence. take_delta is empty when nothing changed.
  std::vector<message> full_view();
  std::vector<message> take_delta();
  // The scheduler was given this job by another message (RunJob), in the view or not: it has to hear what becomes of it.
  void note_given(std::uint64_t serial) { sent_jobs_.insert(serial); }
  // A job that waits leaves the view until it has rested: it has just failed to start. True: it did rest, and is one of the scheduler's.
  void let_rest(std::uint64_t serial);
  bool has_rested(std::uint64_t serial);
  // A job that has just come stays out of the view until it is given. True: it is one of the scheduler's.
  void hold_back(std::uint64_t serial) { held_back_.insert(serial); }
  bool give(std::uint64_t serial);
  // Of the last delta sent; what StartCycle.viewSequence says.
  std::uint64_t sequence() const { return sent_sequence_; }

 private:
  struct marks {
    std::set<std::uint64_t> jobs, hosts, reservations;  // serials
    std::set<std::string, std::less<>> queues, vnodes;  // names
    std::set<std::string, std::less<>> queues_of_jobs;  // whose partition changed: their jobs
    bool server = false, scheduler = false, resources = false;
    bool partition = false;  // the scheduler's may be another one now
    bool empty() const;
  };

  struct news;

  void mark_server_event(schema::ServerEvent::Reader event);
  void mark_vnodes(capnp::Text::Reader exec_vnode);
  void mark_job_event(std::uint64_t serial, schema::JobEvent::Reader event);
  void mark_host_event(std::uint64_t serial, schema::HostEvent::Reader event);
  void mark_queue_event(std::uint64_t serial, schema::QueueEvent::Reader event);
  void mark_scheduler_event(std::uint64_t serial, schema::SchedulerEvent::Reader event);
  void mark_job(std::uint64_t serial);
  void mark_reservation(std::uint64_t serial);
  bool shows(const model::reservation_state& r) const;
  bool has_reservation(std::uint64_t serial) const;
  bool has(std::string_view partition) const { return partition_ && *partition_ == partition; }
  bool has_vnode(const std::string& name) const;
  bool has_job(std::uint64_t serial) const;
  bool has_queue(const model::queue_state& queue) const;
  bool has_host(std::uint64_t serial, schema::HostEvent::Reader event) const;
  bool in_view(const model::job_state& job) const;
  void mark_what_moved(marks& changed) const;
  news gather(const marks& changed);
  void fill_few(schema::SchedulingDelta::Builder d, const marks& changed, const news& what) const;
  std::vector<message> messages(const marks& changed, bool full);

  const status& from_;
  std::string scheduler_;
  usage_news usages_;
  bool following_ = false;                // somebody has a full view
  std::optional<std::string> partition_;  // whose that view is; nothing: of a scheduler that has none
  std::uint64_t epoch_ = 0;
  std::uint64_t sent_sequence_ = 0;
  marks marks_;
  std::unordered_set<std::uint64_t> sent_jobs_, sent_reservations_, resting_, held_back_;
  std::set<std::string, std::less<>> sent_vnodes_, sent_queues_;
};

}  // namespace annals::projections
