// Stories of preemption: jobs of an express queue make others leave, by each method, while anybody may fail. Every job ends once, no run
// is executed twice and no vnode is given twice (world.hpp); that a suspended one goes on when there is room again follows from its end.
#include "test/sim/seeds.hpp"

using namespace annals;
using sim::holds_for_seeds, sim::often, sim::sometimes;

namespace {

sim::options preempting(const std::string& order, int jobs = 12) {
  return {.jobs = jobs, .watch_hosts = true, .watch_suspension = true, .preempt_order = order, .express = 0.4};
}

const std::string orders[] = {"S", "R", "D", "SR"};

void each_order(sim::options o, std::uint64_t seeds) {
  for (const auto& order : orders) {
    o.preempt_order = order;
    holds_for_seeds(o, seeds);
  }
}

template <class Set>
void one_crash_at_each(std::uint64_t events, Set&& set) {
  sim::holds_for_each_seed(events, [&](std::uint64_t n) {
    auto o = preempting(orders[n % std::size(orders)], 4);
    o.moms = 1;
    o.express = 0.5;
    set(o, 1 + n % 70);
    return o;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(preemption)

BOOST_AUTO_TEST_CASE(a_quiet_day_of_preemption) { each_order(preempting(""), 4); }

BOOST_AUTO_TEST_CASE(jobs_are_preempted_by_each_method) {
  for (const auto& order : orders) {
    std::size_t preempted = 0;
    auto o = preempting(order);
    for (o.seed = 1; preempted == 0 && o.seed <= 10; ++o.seed) {
      sim::world w(o);
      BOOST_TEST(w.run() == "");
      preempted = w.preemptions();
    }
    BOOST_TEST(preempted > 0u, order);
  }
}

BOOST_AUTO_TEST_CASE(the_server_may_crash_at_each_event_of_a_preemption) {
  one_crash_at_each(45, [](sim::options& o, std::uint64_t n) { o.crash_server_at_append = n; });
}

BOOST_AUTO_TEST_CASE(the_scheduler_may_crash_at_each_message_of_a_preemption) {
  one_crash_at_each(25, [](sim::options& o, std::uint64_t n) { o.crash_scheduler_at_message = n; });
}

BOOST_AUTO_TEST_CASE(a_mom_may_crash_at_each_event_of_a_victim) {
  one_crash_at_each(25, [](sim::options& o, std::uint64_t n) { o.crash_mom_at_append = n; });
}

BOOST_AUTO_TEST_CASE(server_crashes_lose_no_victim) {
  auto o = preempting("");
  o.server_crash = often;
  each_order(o, 5);
}

BOOST_AUTO_TEST_CASE(everybody_fails_while_jobs_are_preempted) {
  auto o = preempting("");
  o.server_crash = o.mom_crash = o.scheduler_crash = o.link_break = sometimes;
  o.sync_failure = 0.005;
  each_order(o, 8);
}

BOOST_AUTO_TEST_SUITE_END()
