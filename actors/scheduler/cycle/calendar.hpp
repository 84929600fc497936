// What will be free where and when: running jobs end when their walltime is over, and bookings (top jobs, confirmed reservations) take
// vnodes for a time (pbs guide: strict ordering and backfilling). One calendar serves one cycle. Governed by
// docs/design/0045-calendar.md.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/scheduler/cycle/moment.hpp"
#include "actors/scheduler/cycle/placement.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

using values::endless_seconds;
// A job that runs on after its time is taken to end so soon.
constexpr std::int64_t overdue_seconds = 60;

// Of a shrink-to-fit job that waits: the longest and the shortest.
inline std::int64_t duration_of(const job& j) {
  if (j.granted > 0) return j.granted;
  if (j.shrinks.shortest > 0) return j.shrinks.longest;
  return j.walltime == no_walltime ? endless_seconds : std::min(j.walltime, endless_seconds);
}
inline std::int64_t shortest_of(const job& j) { return j.shrinks.shortest > 0 && j.granted == 0 ? j.shrinks.shortest : duration_of(j); }

// Vnodes, and parts of the pools of server and queue, that are somebody's from start until just before end.
struct booking {
  std::string id;  // of the job or the reservation
  moment start = 0, end = 0;
  claim what;  // no slots
  std::vector<reserved_space::pool_part> pools = {};
};

class calendar {
 public:
  struct job_end {
    moment at;
    index job;
    bool operator<(const job_end& o) const { return at != o.at ? at < o.at : job < o.job; }
  };
  struct place_and_time {
    moment start = 0;
    std::string exec_vnode;
    claim what;
  };

  calendar(view& v, const policy& p, const timed_settings& settings, moment now);

  void add(booking b);
  // For this job, if it begins so.
  booking booking_of(index job_at, const place_and_time& begins, std::int64_t seconds) const;
  const std::vector<booking>& bookings() const { return bookings_; }  // in the order added
  const std::vector<job_end>& ends() const { return ends_; }          // of running and proposed jobs, the earliest first
  // The job was proposed in this cycle, and has its claim.
  void started(index job_at);
  // Jobs were lifted or put back by somebody else (preemption).
  void others_moved() { reserved_now_.clear(); }
  // A lifted job does not come back.
  void left(index job_at);

  // The earliest start of a booking, or now if one is on: a job that ends by then meets none.
  moment first_start() const { return starts_.empty() ? endless : starts_.front(); }
  const std::vector<moment>& starts() const { return starts_; }  // of bookings, rising, none before now
  // The booking that comes first of those a job meets which runs from now on until `end`. There is one.
  const booking& first_met_before(moment end) const;
  // What bookings will need until `end`, as far as jobs that are in the way now do not end in time. Valid until the calendar changes.
  const reserved_space& reserved_until(moment end);
  // No place was found for a job that ends then: what there is at most is looked at anew, for those who come after it.
  void found_no_place_until(moment end);

  // The earliest time at which the job can have its place for so long, as far as ends and bookings are known. A place that the job was
  // told before stays its own unless there is an earlier one: so what is started around it never pushes it back.
  std::optional<place_and_time> first_time_for(index job_at, std::int64_t seconds);
  // From when on this is free for so long. For a job that is suspended there: nothing else will do.
  std::optional<moment> first_time_of(const claim& what, index job_at, std::int64_t seconds);

 private:
  struct end_on_vnode {
    moment at;
    resource_id resource;
    amount value;
    index job;
  };
  // What a booked vnode is booked for, and when what is held there now comes back.
  struct vnode_dates {
    struct part {
      std::uint32_t booking;
      resource_id resource;
      amount value;
    };
    struct hold {
      std::uint32_t booking;
      bool exclusive;
    };
    std::vector<part> parts;
    std::vector<hold> holds;
    std::vector<end_on_vnode> ends;
  };
  struct reserved_until_then {
    moment until;
    reserved_space space;
    bool largest_is_old;
  };
  static constexpr moment endless = INT64_MAX;

  moment end_of(index job_at) const;
  vnode_dates& dates_of(index vnode_at);
  bool meets(const booking& b, moment from, moment until) const { return b.start < until && b.end > from; }
  reserved_space reserved(moment from, moment until) const;
  void reserve_on(index vnode_at, const vnode_dates& dates, moment from, moment until, reserved_space& out) const;
  void reserve_pools(moment from, moment until, reserved_space& out) const;
  amount booked_at(const vnode_dates& dates, resource_id r, moment t) const;
  amount ended_on(const vnode_dates& dates, resource_id r, moment from, moment until) const;
  reserved_until_then& make_reserved(moment end);
  void find_largest(reserved_space& of) const;
  amount ended_in_pool(const reserved_space::pool_part& part, moment from, moment until) const;
  std::vector<moment> turning_points(std::int64_t seconds) const;
  std::optional<place_and_time> told_before(index job_at, std::int64_t seconds);
  bool is_free(const claim& what, const job& j, const reserved_space& others);
  bool asks_for(const job& j, const claim& what) const;
  bool try_at(moment t, index job_at, std::int64_t seconds, place_and_time& out);
  std::optional<place_and_time> search(index job_at, std::int64_t seconds, moment before);
  void go_to(moment t);

  view& view_;
  const policy& policy_;
  const timed_settings& settings_;
  moment now_;
  std::vector<job_end> ends_;
  std::vector<booking> bookings_;
  std::unordered_map<index, vnode_dates> booked_;            // by vnode
  std::vector<moment> starts_;                               // of bookings, sorted, none before now
  std::map<std::size_t, reserved_until_then> reserved_now_;  // by how many of starts_ count
  std::optional<placement> supposed_;                        // made as if nothing ran
  std::size_t lifted_ = 0;                                   // of ends_
  allocation where_;
};

}  // namespace annals::cycle
