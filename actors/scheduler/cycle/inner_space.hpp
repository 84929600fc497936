// Where jobs of running reservations go: into what their reservation has of its vnodes, less what its other jobs hold (pbs guide: jobs
// in reservations). Nobody else is asked for that. Of a resource of these vnodes that it did not ask for they have what others leave.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "actors/scheduler/cycle/calendar.hpp"
#include "actors/scheduler/cycle/placement.hpp"
#include "actors/scheduler/cycle/refusal.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

class inner_space {
 public:
  inner_space(view& v, const policy& p, const timed_settings& settings) : view_(v), vnodes_(v.vnodes()), policy_(p), settings_(settings) {}

  // As placement::place, for a job of this reservation, whose place the calendar has as running.
  bool place(calendar& dates, const reservation& r, const job& j, allocation& out, refusal& why);
  // Whether what a suspended job of it takes again is its own; it is taken already.
  bool leaves_others_alone(calendar& dates, const reservation& r, const claim& what);

 private:
  struct space {
    explicit space(const calendar::running_place& place);
    std::vector<vnode_share> shares;
    std::unordered_map<index, std::size_t> at;  // of shares, by vnode
    reserved_space others;                      // what of the vnodes is not its
    std::unique_ptr<placement> where;
  };
  space& space_of(calendar& dates, const reservation& r);
  void find_shares(const calendar::running_place& place, const reserved_space& needed, space& of) const;

  view& view_;
  const vnode_table& vnodes_;
  const policy& policy_;
  const timed_settings& settings_;
  std::map<std::uint64_t, space> spaces_;  // by reservation
};

}  // namespace annals::cycle
