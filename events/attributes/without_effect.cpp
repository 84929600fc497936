#include "events/attributes/without_effect.hpp"

#include <algorithm>
#include <iterator>

#include "events/attributes/ids.hpp"

namespace annals::attributes {
namespace {

struct row {
  attribute_id id;
  std::string_view part;
};

// The server's and the queues' stand in docs/compatibility.md alone.
constexpr row of_schedulers[] = {
    {scheduler::sched_cycle_length, "a limit of the time of a cycle"},
    {scheduler::sched_preempt_enforce_resumption, "preemption"},
    {scheduler::preempt_targets_enable, "preemption"},
    {scheduler::throughput_mode, "waiting for a run within a cycle"},
    {scheduler::job_run_wait, "waiting for a run within a cycle"},
    {scheduler::opt_backfill_fuzzy, "backfill"},
    {scheduler::sched_user, "a user for the scheduler: it runs as who starts it"},
    {scheduler::preempt_queue_prio, "preemption"},
    {scheduler::preempt_prio, "preemption"},
    {scheduler::preempt_order, "preemption"},
    {scheduler::preempt_sort, "preemption"},
    {scheduler::attr_update_period, "a pause between what is said of jobs: only what changed is said"},
};

}  // namespace

std::string_view missing_for(schema::ObjectKind kind, attribute_id id) {
  if (kind != schema::ObjectKind::SCHEDULER) return {};
  const auto* const at = std::ranges::find(of_schedulers, id, &row::id);
  return at == std::end(of_schedulers) ? std::string_view() : at->part;
}

}  // namespace annals::attributes
