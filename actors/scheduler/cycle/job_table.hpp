// The jobs that a scheduler sees, and what each asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/entities.hpp"
#include "actors/scheduler/cycle/index.hpp"
#include "actors/scheduler/cycle/limits.hpp"
#include "actors/scheduler/cycle/queue_table.hpp"
#include "actors/scheduler/cycle/request_book.hpp"
#include "actors/scheduler/cycle/resource_table.hpp"
#include "actors/scheduler/cycle/stable_list.hpp"
#include "actors/scheduler/cycle/subjobs.hpp"
#include "actors/scheduler/cycle/vnode_table.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "events/values/walltime_range.hpp"

namespace annals::cycle {

enum class job_place : std::uint8_t { gone,
                                      queued,
                                      proposed,
                                      running,
                                      suspended,
                                      preempted,
                                      other };

// Comments of jobs are only ever compared. 0: none.
std::uint64_t comment_hash(std::string_view text);

constexpr std::int64_t no_walltime = -1;  // the job may run for any time

// What a job holds: one that runs, or a proposal until the server speaks about the job; or will hold.
struct claim {
  struct amount_taken {
    index vnode;
    resource_id resource;
    amount value;
  };
  struct vnode_taken {
    index vnode;
    bool exclusive;
  };
  std::vector<amount_taken> amounts;
  std::vector<vnode_taken> vnodes;
  std::vector<std::pair<index, std::uint32_t>> slots;
};

// What a cycle looks at of each job comes first.
struct job {
  std::uint64_t serial = 0;
  std::string id;
  job_place where = job_place::gone;
  index queue = none;
  index request = none;
  job_owners owners;  // for limits
  std::int64_t rank = 0;
  std::int64_t walltime = no_walltime;                          // seconds
  std::int64_t soft_walltime = 0;                               // what it is taken to run for; 0: walltime
  values::walltime_range shrinks;                               // of a shrink-to-fit job that waits; {0, 0}: it is none
  std::int64_t granted = 0;                                     // of one that is proposed: the walltime it is to have
  std::int32_t priority = 0;                                    // qsub -p
  std::int64_t eligible_seconds = 0;                            // eligible_time, as far as it was counted,
  std::int64_t eligible_since_ns = 0;                           // and since when it grows; 0: it does not
  entity_index entity = 0;                                      // with fairshare: for whom it counts,
  double expected_usage = 0;                                    // and how much it will, by what it asks for
  std::uint64_t comment = 0;                                    // of a queued job: what it shows, or will show once the server heard us
  std::uint64_t behind = 0;                                     // as comment_hash: what it is said to wait behind; 0: nothing
  std::vector<std::pair<resource_id, std::int64_t>> durations;  // that it asks for, besides walltime; seconds
  std::string euser, egroup;
  asked_amounts beside_pools;                          // of what is limited and is in no pool: durations, nodect
  std::vector<std::pair<index, std::uint32_t>> slots;  // of a running job: host and slot per chunk
  bool resume = false;                                 // of a suspended job: it is to go on when there is room for exec_vnode
  std::string exec_vnode;                              // of one that has vnodes, or would have if it went on
  bool can_checkpoint = false;                         // of a running one: by its host
  std::string exec_host;                               // of a suspended one that is to go on
  std::vector<index> failed_hosts;                     // that could not start it, the latest last
  job_place before_proposal = job_place::queued;
  std::int64_t started = 0;  // of a running job; seconds since 1970
  bool topjob_ineligible = false;
  bool rerunable = false;
  bool preempted = false;  // a queued one that ran, and left for another
  bool lifted = false;     // see claim_book::lift
  std::string preempt_targets;
  bool leaving = false;         // a running one is to end or to be queued again
  std::int64_t estimated = 0;   // estimated.start_time that it shows, or will show once the server heard us; 0: none
  std::string estimated_vnode;  // and estimated.exec_vnode
  bool shown_as_top = false;    // and topjob
  std::optional<claim> held;    // of a running job, once somebody asked (claim_book::held_by)
  subjob_list subjobs;          // of an array: those that are to be run
  std::uint32_t may_begin = 0;  // of an array: so many of them, and those that are proposed count
  std::uint64_t array = 0;      // of a subjob that is proposed or asked for: its array's serial; 0: it is none
  bool is_array() const { return !subjobs.empty(); }
};

class job_table {
 public:
  job_table(const resource_table& resources, queue_table& queues, vnode_table& vnodes)
      : resources_(resources), queues_(queues), vnodes_(vnodes), requests_(resources) {}

  const job& operator[](index at) const { return jobs_[at]; }
  std::size_t size() const { return jobs_.size(); }  // places left by jobs that are gone are among them
  bool empty() const { return jobs_.empty(); }
  auto begin() const { return jobs_.begin(); }
  auto end() const { return jobs_.end(); }
  const job* find(std::uint64_t serial) const;  // nullptr: unknown
  index place_of(std::uint64_t serial) const;   // none: unknown
  const request& request_of(const job& j) const { return requests_[j.request]; }
  std::size_t request_slots() const { return requests_.slots(); }  // job.request is below this
  // The job will be looked at soon, in so many steps: what is read of it is fetched into the processor's cache meanwhile: by
  // shares jobs are considered in another order than they lie in memory.
  void expect(index job_at, int steps) const;

  // With this walltime, until the server speaks about it or refuses it.
  void grant(index job_at, std::int64_t seconds) { jobs_[job_at].granted = seconds; }
  void set_reason(index job_at, std::uint64_t comment, std::uint64_t behind) {
    jobs_[job_at].comment = comment;
    jobs_[job_at].behind = behind;
  }
  void set_estimate(index job_at, std::int64_t start, std::string exec_vnode, bool top);  // start 0: it has none

  // -- for the other parts of a view ----------------------------------------------------------------------------------------
  index add(std::uint64_t serial);
  // Takes in what the row says of the job itself. job_intake looks after its former request, what it holds and whom it counts for.
  void read(index at, schema::SchedJob::Reader row);
  void remove(index at);
  job& edit(index at) { return jobs_[at]; }
  request_book& requests() { return requests_; }

 private:
  index free_place();

  const resource_table& resources_;
  queue_table& queues_;
  vnode_table& vnodes_;
  request_book requests_;
  stable_list<job> jobs_;
  std::vector<index> free_jobs_;
  std::unordered_map<std::uint64_t, index> job_ids_;
};

}  // namespace annals::cycle
