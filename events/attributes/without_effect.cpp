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
    {scheduler::throughput_mode, "waiting for a run within a cycle"},
    {scheduler::job_run_wait, "waiting for a run within a cycle"},
    {scheduler::opt_backfill_fuzzy, "fuzzy backfilling"},
    {scheduler::sched_user, "a user for the scheduler: it runs as who starts it"},
    {scheduler::attr_update_period, "a pause between what is said of jobs: only what changed is said"},
};

}  // namespace

std::string_view missing_for(schema::ObjectKind kind, attribute_id id) {
  if (kind != schema::ObjectKind::SCHEDULER) return {};
  const auto* const at = std::ranges::find(of_schedulers, id, &row::id);
  return at == std::end(of_schedulers) ? std::string_view() : at->part;
}

}  // namespace annals::attributes
