// A run that goes on with less than it had: the hosts that it has nothing of any more are dropped. Hooks before the program let go what
// has failed (job.release_nodes()), which the job bears; while the program runs the server tells what to let go (pbs_release_nodes).
// docs/design/0033-allocations-and-holdings.md, 0037-failures-that-a-job-bears.md.
#include <algorithm>

#include "events/model/run/rules.hpp"

namespace annals::model {

namespace {

event reduced_event(const allocation_change& c) {
  return make_event([&](auto e) { write(c, e.initRun().initAllocationReduced()); });
}

}  // namespace

// Before the program, and when every other host was asked to join with what the ticket says.
bool can_be_reduced(const run_state& run) {
  const bool before_program = run.phase == run_phase::received || run.phase == run_phase::starting;
  if (!before_program || run.tolerates == tolerance::none || run.discarded || run.start_is_unwanted()) return false;
  const bool all_asked = run.sisters.size() == run.order.get().getStartRun().getSisters().size();
  return all_asked && std::ranges::none_of(run.sisters, [](const sister_state& s) { return s.phase == sister_phase::asked; });
}

// A change that does not follow from what the run has now is dropped: another hook, or a restart, was in between.
void reduce_run(const run_state& run, const allocation_change& change, std::vector<event>& out) {
  if (!can_be_reduced(run)) return;
  auto told = reduced_event(change);
  const auto left = after(run.allocated, told.get().getRun().getAllocationReduced());
  if (!left) return;
  out.push_back(std::move(told));
  start_if_all_ready(
      run, [&](const sister_state& s) { return !left->is_on(s.host); }, out);
}

// The server has decided it for a program that runs, and has held the job to it since then (RD-42).
void release_as_told(const run_state& run, const allocation_change& change, std::vector<event>& out) {
  auto told = reduced_event(change);
  if (after(run.allocated, told.get().getRun().getAllocationReduced())) out.push_back(std::move(told));
}

void put_change(run_state& run, shown_value change) {
  std::erase_if(run.changes, [&](const shown_value& v) { return v.name == change.name && v.resource == change.resource; });
  run.changes.push_back(std::move(change));
}

void apply_reduction(run_state& run, const event_place& at, schema::AllocationReduced::Reader e) {
  auto left = after(run.allocated, e);
  ANNALS_INVARIANT(left, "a run is reduced to what it has");
  run.allocated = std::move(*left);
  if (run.phase == run_phase::started) run.numbered = run.allocated;  // its node file is written anew
  ++run.reductions;
  for (auto c : e.getChanges()) put_change(run, read_change(c));
  for (auto& s : run.sisters) {
    if (!s.dropped() && !run.allocated.is_on(s.host)) s.dropped_since_ns = at.wall_ns;
    s.stays_failed |= s.phase == sister_phase::failed && !s.dropped();
  }
}

}  // namespace annals::model
