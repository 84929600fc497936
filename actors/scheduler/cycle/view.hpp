// A scheduler's picture of the cluster: server, queues, vnodes and jobs, kept up to date by the deltas of the server
// (projections/scheduling) and parsed once when taken in. On top of what the server said lie the claims of the scheduler's own proposals
// (claim_book.hpp). A view is made of parts that know one thing each; callers ask the part.
// Governed by docs/design/0005-scheduling.md. One thread uses a view.
#pragma once

#include <cstdint>
#include <memory>

#include "actors/scheduler/cycle/claim_book.hpp"
#include "actors/scheduler/cycle/entity_shares.hpp"
#include "actors/scheduler/cycle/fairshare_settings.hpp"
#include "actors/scheduler/cycle/job_intake.hpp"
#include "actors/scheduler/cycle/job_limits.hpp"
#include "actors/scheduler/cycle/job_table.hpp"
#include "actors/scheduler/cycle/queue_table.hpp"
#include "actors/scheduler/cycle/reservation_table.hpp"
#include "actors/scheduler/cycle/resource_table.hpp"
#include "actors/scheduler/cycle/site_settings.hpp"
#include "actors/scheduler/cycle/vnode_table.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"

namespace annals::cycle {

class view {
 public:
  // False: a delta before this one is missing, or it limits what was not read of jobs so far, or brings the first formula that names
  // shares; the view is unchanged and needs a full one. After a full one, references to parts that were asked for before mean nothing.
  bool apply(schema::SchedulingDelta::Reader delta);
  // Who counts for what in fairshare, of jobs taken in from here on. True: jobs taken in before were counted otherwise, and a full
  // view is needed.
  bool count_by(const fairshare_settings& settings);
  std::uint64_t sequence() const { return sequence_; }
  bool complete() const { return seen_full_; }  // a full view was taken in

  const resource_table& resources() const { return parts_->resources; }
  const site_settings& settings() const { return parts_->settings; }
  const job_limits& limits() const { return parts_->limits; }
  const queue_table& queues() const { return parts_->queues; }
  queue_table& queues() { return parts_->queues; }
  const vnode_table& vnodes() const { return parts_->vnodes; }
  vnode_table& vnodes() { return parts_->vnodes; }
  const job_table& jobs() const { return parts_->jobs; }
  job_table& jobs() { return parts_->jobs; }
  const entity_shares& shares() const { return parts_->shares; }
  entity_shares& shares() { return parts_->shares; }
  claim_book& claims() { return parts_->claims; }
  const reservation_table& reservations() const { return parts_->reservations; }
  reservation_table& reservations() { return parts_->reservations; }
  job_intake& intake() { return parts_->intake; }

 private:
  // Each knows those before it that it works with.
  struct parts {
    resource_table resources;
    site_settings settings;
    queue_table queues{resources};
    vnode_table vnodes{resources, queues};
    job_table jobs{resources, queues, vnodes};
    job_limits limits{resources, queues, jobs};
    entity_shares shares{settings};
    claim_book claims{resources, settings, queues, vnodes, jobs, limits};
    reservation_table reservations{queues, jobs.requests()};
    job_intake intake{jobs, limits, shares, claims};
  };

  void forget_everything();
  void apply_server(capnp::List<schema::Attribute>::Reader attributes);
  void apply_queue(schema::SchedQueue::Reader row);

  std::uint64_t sequence_ = 0;
  bool seen_full_ = false;
  std::unique_ptr<parts> parts_ = std::make_unique<parts>();
};

}  // namespace annals::cycle
