// Stories of jobs whose runs go on with less than they had: hooks let go of vnodes before the program, and jobs with rjselect are
// reduced by themselves, while anybody may fail. What must hold: reduced_runs.hpp, reduction_checks.cpp.
#include "test/sim/seeds.hpp"

using namespace annals;
using sim::holds_for_seeds, sim::sometimes, sim::seldom;

namespace {

sim::options pruned_jobs(int jobs = 8) {
  return {.moms = 3, .jobs = jobs, .watch_hosts = true, .wide = 0.9, .tolerant = 0.8, .tasks = 0.6, .pruning = 0.6, .spares = 0.4};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pruning)

BOOST_AUTO_TEST_CASE(a_quiet_day_of_jobs_that_are_pruned) { holds_for_seeds(pruned_jobs(), 5); }

BOOST_AUTO_TEST_CASE(hooks_and_spare_chunks_make_runs_smaller) {
  auto hooks = pruned_jobs(), spares = pruned_jobs();
  hooks.spares = spares.pruning = 0;
  for (auto o : {hooks, spares}) {
    std::uint64_t reductions = 0;
    for (o.seed = 1; reductions == 0 && o.seed <= 10; ++o.seed) {  // in some stories nobody fails who may
      sim::world w(o);
      BOOST_TEST(w.run() == "");
      reductions = w.reductions();
    }
    BOOST_TEST(reductions > 0u);
  }
}

// Programs go on for as long as it takes to be sure that nobody forgets the hosts that were dropped.
BOOST_AUTO_TEST_CASE(a_host_that_was_dropped_is_rid_of_the_job_while_it_goes_on) {
  auto o = pruned_jobs(4);
  o.program_s = 400;
  o.mom_crash = o.link_break = o.partition = seldom;
  o.power_off = o.pause = seldom;
  holds_for_seeds(o, 4);
}

BOOST_AUTO_TEST_CASE(a_mom_may_crash_at_every_event_of_a_run_that_is_pruned) {
  for (std::uint64_t n = 1; n <= 15; ++n) {
    auto o = pruned_jobs(2);
    o.seed = n;
    o.wide = o.tolerant = o.pruning = 1;
    o.crash_mom_at_append = n;
    const auto why = sim::world(o).run();
    BOOST_REQUIRE_MESSAGE(why.empty(), why + " (crash at append " + std::to_string(n) + ")");
  }
}

BOOST_AUTO_TEST_CASE(everybody_fails_while_jobs_are_pruned) {
  auto o = pruned_jobs();
  o.hook_trouble = 0.1;
  o.refused_places = 0.1;
  o.mom_crash = o.link_break = sometimes;
  o.power_off = o.pause = o.partition = seldom;
  o.new_disk = 0.3;
  o.node_fail_s = 20;
  holds_for_seeds(o, 15);
  o.server_crash = o.scheduler_crash = seldom;
  o.by_hand = 0.02;
  holds_for_seeds(o, 20);
}

BOOST_AUTO_TEST_SUITE_END()
