// A cluster as a test writes it down, and the full view the server would send of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/moment.hpp"
#include "actors/scheduler/cycle/view.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "events/schema/message.hpp"

namespace annals::cycle::test {

constexpr moment some_day = 1'795'359'430;  // 2026-11-22 14:57:10 UTC, a Sunday

using pairs = std::vector<std::pair<std::string, std::string>>;
using values_by_name = std::map<std::string, std::string>;

struct vnode_row {
  std::string name, host;
  std::string state = "free";
  values_by_name attributes;                         // Priority, sharing, queue, ...
  values_by_name available, assigned;                // by resource
  std::vector<std::pair<std::uint64_t, bool>> jobs;  // serial, exclusive
};

struct queue_row {
  std::string name;
  values_by_name attributes{{"queue_type", "Execution"}, {"started", "True"}};
  values_by_name available;
  std::uint64_t reservation = 0;
};

// Times in seconds since 1970.
struct reservation_row {
  struct window {
    std::uint32_t index;
    std::int64_t start, end;
  };
  struct place {
    window when;
    std::string exec_vnode;
  };
  std::uint64_t serial = 900;
  std::string id = "R900.p1", queue = "R900";
  schema::ReservationKind kind = schema::ReservationKind::ADVANCE;
  std::string schedselect = "1:ncpus=1", place_text = "free";
  values_by_name resources;
  std::vector<std::string> hosts, avoid;
  std::vector<place> places;
  std::uint32_t running = 0;
  std::uint64_t ask = 0;
  std::vector<window> wanted;
};

inline queue_row execution_queue(const std::string& name) {
  queue_row q;
  q.name = name;
  return q;
}

struct job_row {
  std::uint64_t serial = 1;
  std::string id = "1.p1", queue = "workq", euser = "pbsuser", egroup = "pbsuser", project = "_pbs_project_default";
  char state = 'Q';
  std::int64_t rank = 0;
  std::int32_t priority = 0;
  std::int64_t eligible_seconds = 0, eligible_since_ns = 0;
  std::string schedselect = "1:ncpus=1", place = "free";
  values_by_name resources;
  std::string exec_vnode, exec_host, comment;
  bool resume = false;
  std::vector<std::string> failed_hosts;
  std::int64_t started = 0, estimated = 0;  // seconds since 1970
  std::string estimated_vnode;
  bool topjob = false;  // what it shows
  std::string indices;  // of an array
  std::uint32_t may_begin = UINT32_MAX;
  bool topjob_ineligible = false, rerunable = true, leaving = false, can_checkpoint = false, preempted = false;
};

struct small_cluster {
  std::vector<vnode_row> vnodes;  // in order of creation
  std::vector<queue_row> queues{execution_queue("workq")};
  std::vector<job_row> jobs;
  std::vector<reservation_row> reservations;
  values_by_name server_available, server, scheduler;  // of attributes by resource: "max_run_res.ncpus"
  struct custom {
    std::string name, type, flags;
  };
  std::vector<custom> resources;

  vnode_row& vnode(const std::string& name);
  schema::sealed<schema::SchedulingDelta> full_view(std::uint64_t sequence = 1) const;
};

// A delta of only these rows.
schema::sealed<schema::SchedulingDelta> delta(std::uint64_t previous, std::uint64_t sequence,
                                              const std::vector<job_row>& jobs, const std::vector<std::uint64_t>& gone = {},
                                              const std::vector<vnode_row>& vnodes = {}, std::uint64_t first_order = 0);

schema::sealed<schema::SchedulingDelta> delta_of_reservations(std::uint64_t previous, std::uint64_t sequence,
                                                              const std::vector<reservation_row>& reservations,
                                                              const std::vector<std::uint64_t>& gone = {});

// One host of one vnode with these cpus.
vnode_row simple_vnode(const std::string& name, int cpus);

}  // namespace annals::cycle::test
