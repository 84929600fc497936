// Strict ordering and what may pass (pbs guide: strict ordering and backfilling). With strict_ordering the first jobs that can't run,
// backfill_depth of them, become top jobs: the calendar has a place for each, and later jobs run only where they leave that alone.
// Bookings count in any case. Governed by docs/design/0045-calendar.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "actors/scheduler/cycle/calendar.hpp"
#include "actors/scheduler/cycle/cycle_log.hpp"

namespace annals::cycle {

class backfill {
 public:
  backfill(view& v, const policy& p, const timed_settings& settings, moment now, cycle_log& log)
      : view_(v), queues_(v.queues()), jobs_(v.jobs()), vnodes_(v.vnodes()), policy_(p), settings_(settings), now_(now), log_(log) {
    if (!v.reservations().empty()) dates();
  }

  // Confirmed reservations are in it, and what was booked since.
  calendar& dates();
  // The job has this place as soon as those have left who are on their way out: it needs no other.
  void book_now(index job_at, claim what);
  // A suspended job, or one with a checkpoint, is a top job whatever the depth: it goes on as soon as its place is free.
  void book_resumption(index job_at);
  // Tells whether this queued job was preempted and goes on before others, because the site wants that (sched_preempt_enforce_resumption).
  bool enforced(const job& j) const { return view_.settings().preempting().enforces_resumption && j.preempted; }

  // True: the job would pass one that nothing may pass.
  bool breaks_order(const job& j, refusal& why) const;
  // As placement::place, and the job meets no booking if it runs for `longest`; a shrink-to-fit job may get less (allocation::seconds).
  bool place(placement& where, const job& j, std::int64_t longest, allocation& out, refusal& why);
  void started(index at);
  // For preemption: jobs were lifted or put back; one that was lifted does not come back.
  void others_moved();
  void left(index at);
  // Whether what a suspended job takes again is nobody's until its end.
  bool leaves_alone(const claim& what, const job& j);
  // For want of resources: it becomes a top job, if it may.
  void could_not_run(index at);
  // An array whose subjobs run already, as many as may: it becomes a top job for when one of them ends.
  void waits_for_its_subjobs(index at);

  // Of top jobs, and of jobs that are none any more, where it differs from what they show.
  std::vector<job_estimate> estimates();

 private:
  bool place_beside_bookings(placement& where, const job& j, std::int64_t seconds, allocation& out);
  struct turn {  // of a queue with a depth of its own, or of all others
    std::int64_t tops = 0;
    std::string blocked_by;  // a job that nothing of them may pass
  };
  std::int64_t depth_for(const job& j) const;
  index turn_of(const job& j) const { return queues_[j.queue].backfill_depth ? j.queue : none; }
  // It can't begin before `earliest`. False: no time was found for it.
  bool make_top(index at, moment earliest);
  std::optional<moment> first_end_within(const job& array);
  void book_top(index at, calendar::place_and_time where, std::int64_t seconds);
  void log_simulation(moment start);

  view& view_;
  const queue_table& queues_;
  const job_table& jobs_;
  const vnode_table& vnodes_;
  const policy& policy_;
  const timed_settings& settings_;
  moment now_;
  cycle_log& log_;
  std::optional<calendar> dates_;  // when somebody needs them
  std::map<index, turn> turns_;    // by queue; none: of all queues without a depth of their own
  std::map<index, job_estimate> tops_;
  std::set<index> booked_;  // by book_now
  // Queue, request and both durations: no time was found for them.
  std::set<std::tuple<index, index, std::int64_t, std::int64_t>> without_time_;
};

}  // namespace annals::cycle
