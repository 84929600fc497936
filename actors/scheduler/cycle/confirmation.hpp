// Whether reservations can have what they ask for, when they ask for it (pbs guide: reservations): asked before any job is looked at, so
// that they come before top jobs. Running jobs are there until their walltime ends. Governed by
// docs/design/0050-reservations-in-the-cycle.md.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/scheduler/cycle/calendar.hpp"
#include "actors/scheduler/cycle/cycle_log.hpp"
#include "actors/scheduler/cycle/moment.hpp"
#include "actors/scheduler/cycle/reservation.hpp"
#include "actors/scheduler/cycle/view.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::cycle {

class confirmation {
 public:
  confirmation(view& v, calendar& dates, cycle_log& log) : view_(v), jobs_(v.jobs()), vnodes_(v.vnodes()), dates_(dates), log_(log) {}

  // What was asked about this one. What it gets is booked.
  reservation_answer answer(const reservation& r);

 private:
  reservation_answer find_places(const reservation& r);
  reservation_answer take_hosts(const reservation& r);
  void begin_at_place_before(const reservation& r);
  std::vector<index> barred_for(const reservation& r) const;
  std::vector<index> avoided_by(const reservation& r) const;
  std::optional<std::string> place_for(const reservation& r, reservation_window& w, const std::vector<index>& barred, refusal& why);
  std::optional<std::string> kept_place(const reservation& r, const reservation_window& w) const;
  std::optional<std::string> part_of(const reservation& r, const std::string& exec_vnode) const;
  bool has_all_jobs(const reservation& r, const std::string& exec_vnode) const;
  void find_used(const reservation& r);
  bool holds_within(const reservation& r, const job& j) const;
  bool is_used(const values::exec_chunk& c) const;
  bool answers(const chunk& asked, const values::exec_chunk& placed) const;
  std::vector<std::string> conflicts_with(const reservation& r, const reservation_answer& answer) const;

  view& view_;
  const job_table& jobs_;
  const vnode_table& vnodes_;
  calendar& dates_;
  cycle_log& log_;
  std::string last_;      // place that was found for the window before
  claim last_claim_;      // the same
  std::set<index> used_;  // vnodes of its jobs
};

}  // namespace annals::cycle
