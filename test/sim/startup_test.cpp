// Starts of jobs on several hosts of which some fail, at every event between the order and the program: the program runs only on hosts
// that have answered behind everything that could be known, and on as many as were asked for; or the job is queued again. startups.hpp
#include <array>
#include <random>

#include "test/sim/seeds.hpp"

using namespace annals;
using sim::holds_for_each_seed;

namespace {

// Every seed is another start: which event, how the hosts fail, what the job bears, and how many spare hosts it has.
sim::options start_of(std::uint64_t seed) {
  std::mt19937_64 drawn(seed);
  const auto one_of = [&](std::uint64_t n) { return drawn() % n; };
  sim::startup s;
  s.hosts = 3;
  s.tolerates = std::array{"none", "job_start", "all"}[one_of(3)];
  s.spares = static_cast<int>(one_of(3));
  s.by_hook = one_of(2) == 1;
  s.victims = 1 + static_cast<int>(one_of(2));
  s.silent = one_of(2) == 1;
  s.at_event = 1 + seed % 10;
  s.delay_ns = one_of(2) == 0 ? 0 : static_cast<std::int64_t>(one_of(1'000'000'000));
  sim::options o;
  o.moms = s.hosts + s.spares;
  o.jobs = 1;
  o.watch_hosts = true;
  o.program_s = 5;
  o.start = s;
  return o;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(startups)

BOOST_AUTO_TEST_CASE(hosts_that_fail_before_the_program_are_no_hosts_of_it) {  // RS-02 to RS-05, RS-28, RS-29, RS-65
  holds_for_each_seed(200, start_of);
}

BOOST_AUTO_TEST_CASE(such_hosts_are_found_and_others_take_their_place) {
  std::uint64_t failures = 0, reductions = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto o = start_of(seed);
    o.seed = seed;
    o.start.tolerates = "all";
    o.start.spares = 2;
    o.moms = 5;
    sim::world w(o);
    BOOST_TEST(w.run() == "");
    failures += static_cast<std::uint64_t>(w.start_failures());
    reductions += w.reductions();
  }
  BOOST_TEST(failures > 10u);
  BOOST_TEST(reductions >= 20u);
}

BOOST_AUTO_TEST_SUITE_END()
