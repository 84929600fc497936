// Stories of jobs that depend on each other, while anybody may fail: nobody runs too early, or for ever waits; of a set one runs. What must
// hold: dependent_jobs.hpp. docs/design/0054-dependencies.md.
#include "test/sim/seeds.hpp"

using namespace annals;
using sim::holds_for_seeds, sim::often, sim::sometimes;

namespace {

sim::options depending(int jobs = 12) { return {.jobs = jobs, .history_s = 20, .dependent = 0.7}; }

// All wait for the first one; four at a time are told when they rest, so that what comes of one job is many batches.
sim::options a_fan(int jobs) {
  return {.moms = 1, .jobs = jobs, .history_s = 20, .program_s = 60, .dependent = 1, .fan = true, .at_rest = 4};
}

template <class Set>
void one_crash_at_each(std::uint64_t events, Set&& set) {
  sim::holds_for_each_seed(events, [&](std::uint64_t n) {
    auto o = depending(5);
    o.moms = 1;
    set(o, 1 + n % 60);
    return o;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dependencies)

BOOST_AUTO_TEST_CASE(a_quiet_day_of_dependencies) { holds_for_seeds(depending(), 15); }

BOOST_AUTO_TEST_CASE(all_that_can_come_of_a_dependency_comes) {
  std::set<std::string> missing{"set free", "deleted", "one of a set"};
  auto o = depending();
  for (o.seed = 1; !missing.empty() && o.seed <= 30; ++o.seed) {
    sim::world w(o);
    BOOST_TEST(w.run() == "");
    for (const auto& [what, times] : w.depended()) missing.erase(what);
  }
  BOOST_TEST(missing.size() == 0u, (missing.empty() ? "" : *missing.begin()) << " never happened");
}

BOOST_AUTO_TEST_CASE(the_server_may_crash_at_each_event_of_a_dependency) {
  one_crash_at_each(60, [](sim::options& o, std::uint64_t n) { o.crash_server_at_append = n; });
}

// Whose server has come up again since they were submitted, they rest.
BOOST_AUTO_TEST_CASE(the_server_crashes_again_and_again_while_a_fan_is_set_free) {
  auto o = a_fan(30);
  o.server_crash = often;
  holds_for_seeds(o, 25);
}

BOOST_AUTO_TEST_CASE(everybody_fails_while_a_fan_is_set_free) {
  auto o = a_fan(20);
  o.server_crash = often;
  o.mom_crash = o.scheduler_crash = o.link_break = sometimes;
  o.sync_failure = 0.005;
  o.disk_full = sometimes;
  holds_for_seeds(o, 25);
}

BOOST_AUTO_TEST_CASE(everybody_fails_while_jobs_depend) {
  auto o = depending();
  o.server_crash = often;
  o.mom_crash = o.scheduler_crash = o.link_break = sometimes;
  o.sync_failure = 0.005;
  o.disk_full = sometimes;
  holds_for_seeds(o, 25);
}

BOOST_AUTO_TEST_SUITE_END()
