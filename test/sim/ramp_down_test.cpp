// Stories of jobs whose vnodes are released while they run, one release upon the other, while anybody may fail. What must hold:
// reduced_runs.hpp, reduction_checks.cpp. docs/design/0039-ramp-down.md (RD-20, RD-28 to RD-34).
#include "test/sim/seeds.hpp"
#include "test/sim/site_hooks.hpp"

using namespace annals;
using sim::holds_for_seeds, sim::sometimes, sim::seldom;

namespace {

sim::options released_jobs(int jobs = 8) {
  return {.moms = 3, .jobs = jobs, .watch_hosts = true, .wide = 0.9, .tolerant = 0.3, .tasks = 0.6, .releases = 0.1, .stage_out = 0.5};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ramp_down)

BOOST_AUTO_TEST_CASE(a_quiet_day_of_jobs_whose_vnodes_are_released) { holds_for_seeds(released_jobs(), 10); }

BOOST_AUTO_TEST_CASE(running_jobs_are_left_with_less) {
  std::uint64_t reductions = 0;
  auto o = released_jobs();
  for (o.seed = 1; o.seed <= 3; ++o.seed) {
    sim::world w(o);
    BOOST_TEST(w.run() == "");
    reductions += w.reductions();
  }
  BOOST_TEST(reductions > 3u);
}

BOOST_AUTO_TEST_CASE(other_hosts_are_free_while_files_are_staged_out) {  // RD-63, RD-66
  std::uint64_t reductions = 0;
  auto o = released_jobs();
  o.releases = 0;
  for (o.seed = 1; o.seed <= 3; ++o.seed) {
    sim::world w(o);
    BOOST_TEST(w.run() == "");
    reductions += w.reductions();
  }
  BOOST_TEST(reductions > 3u);
}

BOOST_AUTO_TEST_CASE(hooks_of_a_host_hear_that_it_has_less) {  // RD-25
  bool heard = false;
  auto o = released_jobs();
  o.tolerant = o.tasks = 0;
  o.program_s = 60;
  o.site_hooks = true;
  for (o.seed = 1; o.seed <= 20 && !heard; ++o.seed) {
    sim::world w(o);
    BOOST_TEST(w.run() == "");
    heard = sim::steps_with_hooks(w.server_store()).contains("execjob_resize");
  }
  BOOST_TEST(heard);
}

// Programs go on for as long as it takes to be sure that no released host is forgotten.
BOOST_AUTO_TEST_CASE(a_released_host_is_rid_of_the_job_while_it_goes_on) {
  auto o = released_jobs(4);
  o.program_s = 400;
  o.mom_crash = o.link_break = o.partition = seldom;
  o.power_off = o.pause = seldom;
  holds_for_seeds(o, 8);
}

BOOST_AUTO_TEST_CASE(daemons_may_crash_at_every_event_of_a_run_that_is_released) {
  for (std::uint64_t n = 1; n <= 30; ++n)
    for (const bool server : {false, true}) {
      auto o = released_jobs(2);
      o.seed = n;
      o.wide = 1;
      (server ? o.crash_server_at_append : o.crash_mom_at_append) = n;
      const auto why = sim::world(o).run();
      BOOST_REQUIRE_MESSAGE(why.empty(), why + (server ? " (server's" : " (MoM's") + " crash at append " + std::to_string(n) + ")");
    }
}

BOOST_AUTO_TEST_CASE(jobs_are_suspended_deleted_and_rerun_while_vnodes_are_released) {
  auto o = released_jobs();
  o.by_hand = 0.1;
  holds_for_seeds(o, 20);
}

BOOST_AUTO_TEST_CASE(everybody_fails_while_vnodes_are_released) {
  auto o = released_jobs();
  o.mom_crash = o.link_break = sometimes;
  o.power_off = o.pause = o.partition = seldom;
  o.new_disk = 0.3;
  o.node_fail_s = 20;
  o.pruning = 0.3;
  holds_for_seeds(o, 40);
  o.server_crash = o.scheduler_crash = seldom;
  o.by_hand = 0.02;
  holds_for_seeds(o, 40);
}

BOOST_AUTO_TEST_SUITE_END()
