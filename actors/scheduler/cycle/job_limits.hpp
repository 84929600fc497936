// The run limits of server and queues (limits.hpp) as they hold for jobs of a view.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/job_table.hpp"
#include "actors/scheduler/cycle/limits.hpp"
#include "actors/scheduler/cycle/queue_table.hpp"
#include "actors/scheduler/cycle/refusal.hpp"
#include "actors/scheduler/cycle/resource_table.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"

namespace annals::cycle {

class job_limits {
 public:
  job_limits(const resource_table& resources, const queue_table& queues, const job_table& jobs)
      : resources_(resources), queues_(queues), jobs_(jobs) {}

  // The first run limit of server or queue that the job would pass if it ran now. Nothing: none.
  std::optional<reached_limit> reached_by(const job& j) const;
  std::uint64_t key_of(const reached_limit& r, const job& j) const { return limits_.key(r, j.owners, j.queue); }  // one refusal each
  refusal explain(const reached_limit& r, const job& j) const;
  // Whether the job's user, group or project, or all together, have more running than a soft limit of the server, or of the job's queue,
  // allows (pbs guide: preempt_prio, server_softlimits and queue_softlimits). Of a job that does not run: whether they would.
  soft_limits_passed over_soft_limits(const job& j) const;

  // -- for the other parts of a view ----------------------------------------------------------------------------------------
  // False: the delta limits what was not read of jobs so far.
  bool reads_all_limited(schema::SchedulingDelta::Reader delta);
  // Resources that are read of each job, because they are limited and in no pool.
  const std::vector<std::string>& limited_beside_pools() const { return limited_beside_pools_; }
  void read_beside_pools(std::vector<std::string> resources) { limited_beside_pools_ = std::move(resources); }
  // Takes the limits that are set at the server (run_limit_book::server_place) or a queue.
  void take_limits(std::uint32_t queue, capnp::List<schema::Attribute>::Reader attributes);
  void own(job& j, schema::SchedJob::Reader row);  // who it counts for, until forget
  void count_another(const job_owners& owners) { limits_.count_another(owners); }
  void forget(const job_owners& owners) { limits_.forget(owners); }
  void count(const job& j, int sign);  // it begins to run or ends: +1 or -1

 private:
  amount asked_by(const job& j, resource_id r) const;

  const resource_table& resources_;
  const queue_table& queues_;
  const job_table& jobs_;
  run_limit_book limits_;
  std::vector<std::string> limited_beside_pools_;  // resources
};

}  // namespace annals::cycle
