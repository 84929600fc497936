// Running jobs that make room for one that is more important (pbs guide: preemption). Who preempts whom is a matter of levels
// (preempt_prio); victims are the youngest, and no more than it takes. Nothing happens here: the cycle proposes the victims with the run.
// Governed by docs/design/0046-preemption.md.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/backfill.hpp"
#include "actors/scheduler/cycle/cycle_log.hpp"
#include "actors/scheduler/cycle/moment.hpp"
#include "actors/scheduler/cycle/placement.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

class preemption {
 public:
  preemption(view& v, const policy& p, const timed_settings& settings, moment now, backfill& dates, cycle_log& log);

  // There are levels below the job's: whether it may preempt somebody at all.
  bool may_employ(index at) const { return settings_.preemptive_sched && level_of(at) + 1 < preempting_.levels.size(); }
  // Of a suspended job: one below the normal level waits for room, as in PBS.
  bool may_employ_to_go_on(index at) const { return may_employ(at) && level_of(at) <= preempting_.level_of(0); }
  std::size_t level_of(index at) const;

  // Makes room for the job, for `longest` or what a shrink-to-fit job can have of it. `anybody`: whatever their levels, as for qrun. True:
  // `out` is its place, taken in the view, and the victims are lifted for good. False: nothing has changed. A suspended job has room only
  // where it was, and has taken_again() then.
  bool make_room(index at, bool anybody, std::int64_t longest, allocation& out, std::vector<preempt_victim>& victims);
  claim taken_again() { return std::move(*again_); }
  // True: the job has a place as soon as those have left that are on their way out already. It is booked for it.
  bool waits_for_leaving(index at);

 private:
  std::vector<index> candidates(index at, bool anybody) const;
  bool is_target(const std::string& targets, const job& victim) const;
  bool limit_to_targets(const job& j, std::vector<index>& victims);
  bool enough_altogether(index at, const std::vector<index>& able, allocation& out);
  std::vector<index> choose(index at, const std::vector<index>& able, allocation& out);
  void drop_unneeded(index at, std::vector<index>& chosen, allocation& out);
  bool find(index at, std::int64_t longest, allocation& out);
  bool finds_old_place(const job& j);
  void let_go(const allocation& found);
  std::string lack_of(index at) const;
  std::string methods_of(const job& victim) const;
  std::string working_methods_of(const job& victim) const;
  bool is_to_suspend(const job& victim) const { return !victim.leaving && working_methods_of(victim).starts_with('S'); }
  bool name_methods(const std::vector<index>& chosen, std::vector<preempt_victim>& victims);
  void lift(const std::vector<index>& jobs);
  void put_back(const std::vector<index>& jobs);

  view& view_;
  const preempt_settings& preempting_;
  const job_table& jobs_;
  const queue_table& queues_;
  const job_limits& limits_;
  vnode_table& vnodes_;
  const policy& policy_;
  const timed_settings& settings_;
  moment now_;
  backfill& dates_;
  cycle_log& log_;
  const fairshare_standing* standing_ = nullptr;  // if a level asks for it
  std::set<index> failed_;                        // that no method could make leave, in this cycle
  std::int64_t longest_ = 0;                      // of make_room
  std::optional<claim> again_;                    // what find has found for a suspended job
  std::optional<placement> supposed_;             // made as if all who may be victims were gone
};

}  // namespace annals::cycle
