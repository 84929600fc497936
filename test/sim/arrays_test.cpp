// Stories of job arrays, while anybody may fail: each subjob is run until it has ended, none twice at once, and an array ends when all
// have. What must hold: array_checks.hpp. docs/design/0057-job-arrays.md.
#include "test/sim/seeds.hpp"

using namespace annals;
using sim::holds_for_seeds, sim::often, sim::sometimes;

namespace {

sim::options of_arrays(int jobs = 5) { return {.jobs = jobs, .history_s = 20, .arrays = 0.7}; }

template <class Set>
void one_crash_of_arrays_at_each(std::uint64_t events, Set&& set) {
  sim::holds_for_each_seed(events, [&](std::uint64_t n) {
    auto o = of_arrays(2);
    o.moms = 1;
    set(o, 1 + n % 60);
    return o;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(arrays)

BOOST_AUTO_TEST_CASE(a_quiet_day_of_arrays) { holds_for_seeds(of_arrays(), 15); }

BOOST_AUTO_TEST_CASE(all_that_can_come_of_a_subjob_comes) {
  std::set<std::string> missing{"began", "ended", "queued again", "deleted before they began"};
  auto o = of_arrays();
  o.by_hand = sometimes;
  for (o.seed = 1; !missing.empty() && o.seed <= 60; ++o.seed) {
    sim::world w(o);
    BOOST_TEST(w.run() == "");
    for (const auto& [what, times] : w.of_arrays()) missing.erase(what);
  }
  BOOST_TEST(missing.size() == 0u, (missing.empty() ? "" : *missing.begin()) << " never happened");
}

BOOST_AUTO_TEST_CASE(the_server_may_crash_at_each_event_of_an_array) {
  one_crash_of_arrays_at_each(60, [](sim::options& o, std::uint64_t n) { o.crash_server_at_append = n; });
}

BOOST_AUTO_TEST_CASE(everybody_fails_while_arrays_run) {
  auto o = of_arrays();
  o.server_crash = often;
  o.mom_crash = o.scheduler_crash = o.link_break = sometimes;
  o.sync_failure = 0.005;
  o.disk_full = sometimes;
  o.by_hand = sometimes;
  holds_for_seeds(o, 25);
}

BOOST_AUTO_TEST_SUITE_END()
