// What will be free where and when: running jobs end when their walltime is over, and bookings (top jobs, confirmed reservations) take
// vnodes for a time (pbs guide: strict ordering and backfilling). One calendar serves one cycle. Governed by
// docs/design/0045-calendar.md.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/moment.hpp"
#include "actors/scheduler/cycle/placement.hpp"
#include "actors/scheduler/cycle/view.hpp"
#include "events/values/soft_walltime.hpp"

namespace annals::cycle {

using values::endless_seconds;
// A job that runs on after its time is taken to end so soon.
constexpr std::int64_t overdue_seconds = 60;

// How long the job may run at all. Of a shrink-to-fit job that waits: the longest.
inline std::int64_t limit_of(const job& j) {
  if (j.granted > 0) return j.granted;
  if (j.shrinks.shortest > 0) return j.shrinks.longest;
  return j.walltime == no_walltime ? endless_seconds : std::min(j.walltime, endless_seconds);
}
// How long it is taken to run, if it begins now: a soft walltime counts before the walltime. Of a shrink-to-fit job that waits: the longest
// and the shortest.
inline std::int64_t duration_of(const job& j) { return j.soft_walltime > 0 ? std::min(j.soft_walltime, limit_of(j)) : limit_of(j); }
inline std::int64_t shortest_of(const job& j) { return j.shrinks.shortest > 0 && j.granted == 0 ? j.shrinks.shortest : duration_of(j); }
// For how long it leaves reservations alone, which are promises, if that is longer; 0: it is not.
inline std::int64_t promised_of(const job& j) { return j.soft_walltime > 0 ? limit_of(j) : 0; }
// The same of a running one: past its soft walltime it is taken to run on (events/values/soft_walltime.hpp).
inline std::int64_t running_duration_of(const job& j, moment now) {
  return j.soft_walltime > 0 ? values::soft_walltime_after(now - j.started, j.soft_walltime, limit_of(j)) : duration_of(j);
}

// Vnodes, and parts of the pools of server and queue, that are somebody's from start until just before end.
struct booking {
  std::string id;  // of the job or the reservation
  moment start = 0, end = 0;
  std::shared_ptr<const claim> what;  // no slots; the occurrences of a reservation share it
  std::vector<reserved_space::pool_part> pools = {};
  std::uint64_t reservation = 0;  // whose place it is; 0: a job's
  bool runs = false;              // the occurrence has begun: what its jobs hold is no longer booked
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

  // What is asked to be had from `start` until `end`.
  struct trial {
    const job& asked;
    moment start, end;
    std::uint64_t reservation = 0;           // it asks, and what it has is free for it; 0: a job asks, and pools count too
    std::span<const index> barred = {};      // vnodes that it can't have, rising
    std::span<const time_span> starts = {};  // it can't begin at other times, if there are any
    std::int64_t promised = 0;               // seconds: reservations are left alone for so long, if that is longer
  };

  // Confirmed reservations are booked from the beginning.
  calendar(view& v, const policy& p, const timed_settings& settings, moment now);

  void add(booking b);
  // For this job, if it begins so.
  booking booking_of(index job_at, const place_and_time& begins, std::int64_t seconds) const;
  const std::vector<booking>& bookings() const { return bookings_; }  // in the order added; one that is over is nobody's any more
  const std::vector<job_end>& ends() const { return ends_; }          // of running and proposed jobs, the earliest first
  // The job was proposed in this cycle, and has its claim.
  void started(index job_at);
  // Jobs were lifted or put back by somebody else (preemption).
  void others_moved();
  // A lifted job does not come back.
  void left(index job_at);

  // The earliest start of a booking, or now if one is on: a job that ends by then meets none.
  moment first_start() const { return starts_.empty() ? endless : starts_.front(); }
  const std::vector<moment>& starts() const { return starts_; }  // of bookings, rising, none before now
  // The booking that comes first of those a job meets which runs from now on until `end` at this place; or somewhere else. There is one.
  const booking& first_met_before(moment end, const std::vector<index>& vnodes) const;
  // What bookings will need until `end`, as far as jobs that are in the way now do not end in time. Valid until the calendar changes.
  const reserved_space& reserved_until(moment end);
  // The same; what reservations will need is looked at until `promised`. Valid until the next call, too.
  const reserved_space& reserved_until(moment end, moment promised);
  // No place was found for a job that ends then: what there is at most is looked at anew, for those who come after it.
  void found_no_place_until(moment end);

  // The earliest time at which the job can have its place for so long, as far as ends and bookings are known. A place that the job was
  // told before stays its own unless there is an earlier one: so what is started around it never pushes it back.
  // It begins at one of these times.
  std::optional<place_and_time> first_time_for(index job_at, std::int64_t seconds, std::span<const time_span> starts);
  // From when on this is free for so long. For a job that is suspended there: nothing else will do.
  std::optional<moment> first_time_of(const claim& what, index job_at, std::int64_t seconds);

  // -- reservations (calendar_reservations.cpp) ------------------------------------------------------------------------------
  // What a running occurrence has, and what of it none of its jobs holds.
  struct running_place {
    moment end;
    claim what;
    std::vector<claim::amount_taken> left;  // beside what.amounts
  };
  const running_place* running(std::uint64_t reservation) const;
  // Somebody else has something of the vnode too, before its place ends.
  bool is_shared(index vnode_at, std::uint64_t reservation) const;
  // The amounts that others need of its vnodes before its place ends, besides those in use now. Valid until the next call.
  const reserved_space& needed_beside(std::uint64_t reservation);
  // These places instead of those it had.
  void rebook(const reservation& r, const std::vector<reservation_place>& places);
  claim claim_for(const reservation& r, const std::string& exec_vnode) const;
  // Reservations are confirmed by what jobs may run for, all else is planned by what they are taken to run for (soft_walltime).
  void plan_by_limits(bool on);
  // Between begin and finish jobs come and go as the calendar has it, and those of this reservation are away.
  void begin_placing(const reservation& r);
  void finish_placing();
  std::optional<place_and_time> place_at(const trial& t, refusal& why);
  bool can_have(const claim& what, const trial& t);
  // What is wanted in all is just this.
  bool asks_for(const job& j, const claim& what) const;
  // Steps that were taken so far: vnodes and bookings looked at, jobs lifted.
  std::uint64_t work() const { return work_; }
  bool is_checked(resource_id r) const { return supposed_->is_checked(r); }
  // As soon as it can be, for so long as the trial says.
  std::optional<place_and_time> place_soonest(const trial& t, refusal& why);

 private:
  struct end_on_vnode {
    moment at, at_latest;
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
    // A job that begins now and ends behind `from` must leave so much alone.
    struct need {
      moment from;
      std::vector<amount> amounts;
      reserved_space::kind vnode;
    };
    index vnode = none;
    std::vector<part> parts;  // in the order in which their bookings begin
    std::vector<hold> holds;  // likewise
    std::vector<end_on_vnode> ends;
    bool is_promised = false;  // a reservation is among its bookings: then jobs are taken to be there as long as they may be
    std::int64_t longest = 0;  // of its bookings
    moment end_of(const end_on_vnode& e) const { return is_promised ? e.at_latest : e.at; }
    std::vector<need> needs;  // rising
    bool needs_known = false;
  };
  static constexpr std::size_t spaces_max = 64;  // of reserved_now_
  struct reserved_until_then {
    moment until;
    reserved_space space;
    bool largest_is_old;
  };

  void find_ends();
  void book_all();
  void book(const reservation& r, const std::vector<reservation_place>& places);
  void book_anew();
  void enter(std::uint32_t number);
  void enter_from(std::uint32_t first);
  void hold_within(index job_at);
  void begin_supposing();
  void finish_supposing();
  moment end_of(index job_at, bool at_latest) const;
  moment end_of(index job_at) const { return end_of(job_at, by_limits_); }
  vnode_dates& dates_of(index vnode_at);
  const vnode_dates* booked_on(index vnode_at) const {  // null: nothing is
    return booked_at_.empty() || booked_at_[vnode_at] == none ? nullptr : &booked_[booked_at_[vnode_at]];
  }
  bool meets(const booking& b, moment from, moment until) const { return b.start < until && b.end > from; }
  // Selects the bookings that count.
  struct bookers {
    std::uint64_t except = 0;  // not this reservation's
    bool promised = false;     // reservations' only
  };
  bool meets(std::uint32_t number, moment from, moment until, bookers who) const {
    const booking& b = bookings_[number];
    return meets(b, from, until) && (who.except == 0 || b.reservation != who.except) && (!who.promised || b.reservation != 0);
  }
  reserved_space empty_space() const;
  reserved_space reserved(moment from, moment until, std::uint64_t except = 0, std::int64_t promised = 0);
  void reserve_promised(moment from, moment until, reserved_space& out);
  const reserved_space& reserved_for(const claim& what, moment from, moment until, std::uint64_t except);
  reserved_space reserved_from_now(moment until);
  void reserve_on(const vnode_dates& dates, moment from, moment until, bookers who, reserved_space& out);
  void find_needs(vnode_dates& dates);
  void forget_needs(vnode_dates& dates);
  void know_needs();
  void add_turns(std::vector<moment> more);
  static void need_on(const vnode_dates& dates, moment until, reserved_space& out);
  template <class List>
  auto first_that_may_meet(const List& list, std::int64_t longest, moment from) const;
  void reserve_pools(moment from, moment until, reserved_space& out) const;
  reserved_until_then& make_reserved(moment end);
  void find_largest(reserved_space& of) const;
  amount ended_in_pool(const reserved_space::pool_part& part, moment from, moment until) const;
  std::vector<moment> turning_points(std::int64_t seconds, std::int64_t promised, std::span<const time_span> starts = {}) const;
  std::optional<place_and_time> told_before(index job_at, std::int64_t seconds);
  bool is_free(const claim& what, const job& j, const reserved_space& others);
  bool try_at(const trial& t, place_and_time& out, refusal& why);
  std::optional<place_and_time> search(const trial& t, moment before, refusal& why);
  void go_to(moment t);

  view& view_;
  const resource_table& resources_;
  const queue_table& queues_;
  const job_table& jobs_;
  vnode_table& vnodes_;
  const policy& policy_;
  const timed_settings& settings_;
  moment now_;
  std::vector<job_end> ends_;
  std::vector<booking> bookings_;
  std::vector<std::pair<moment, std::uint32_t>> order_;       // of bookings: start and number, rising
  std::vector<std::uint32_t> with_pools_;                     // bookings that have parts of pools
  std::deque<vnode_dates> booked_;                            // of vnodes that are booked
  std::vector<index> booked_at_;                              // place there, by vnode
  std::vector<moment> starts_;                                // of bookings, sorted, none before now
  std::vector<index> unknown_;                                // places in booked_ of vnodes whose needs are not known
  std::vector<moment> turns_;                                 // then more may be needed than before; rising
  std::map<moment, reserved_until_then> reserved_now_;        // by the last turn before the end
  std::optional<placement> supposed_;                         // made as if nothing ran
  std::size_t lifted_ = 0;                                    // of ends_
  std::unordered_map<std::uint64_t, running_place> running_;  // by reservation
  std::vector<job_end> away_;                                 // of begin_placing
  moment last_end_ = 0;                                       // of bookings
  bool by_limits_ = false;                                    // see plan_by_limits
  reserved_space with_promised_;                              // by reserved_until
  reserved_space asked_;                                      // by reserved_for,
  std::vector<index> asked_on_;                               // on these vnodes
  std::uint64_t work_ = 0;
  std::size_t tries_ = 0;  // of searches
  allocation where_;
};

}  // namespace annals::cycle
