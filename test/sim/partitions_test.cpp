// Three schedulers with a partition each. Whatever crashes, stands still, is cut off or altered: a job gets vnodes of its queue's
// partition, a scheduler places what is its own, and nobody waits for a scheduler that is not his.
#include "test/sim/seeds.hpp"

using namespace annals;
using sim::holds_for_seeds, sim::often, sim::options, sim::seldom, sim::sometimes;

namespace {

options three_schedulers(int jobs) { return {.moms = 3, .jobs = jobs, .partitions = true}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(partitions)

BOOST_AUTO_TEST_CASE(a_quiet_day_of_three_schedulers_ends_every_job_once) { holds_for_seeds(three_schedulers(20), 5); }  // MS-35, MS-77

BOOST_AUTO_TEST_CASE(schedulers_that_crash_or_stand_still_or_are_cut_off_lose_nothing) {  // MS-90, MS-91
  auto o = three_schedulers(15);
  o.scheduler_crash = o.scheduler_trouble = often;
  holds_for_seeds(o, 15);
  o.server_crash = o.mom_crash = o.link_break = sometimes;
  o.disk_full = seldom;
  holds_for_seeds(o, 100);
}

BOOST_AUTO_TEST_CASE(nobody_waits_for_a_scheduler_that_is_not_there) {
  auto o = three_schedulers(15);
  o.late_scheduler = true;
  holds_for_seeds(o, 5);
  o.scheduler_crash = o.link_break = sometimes;
  holds_for_seeds(o, 15);
}

BOOST_AUTO_TEST_CASE(a_scheduler_places_no_job_of_another) {  // MS-36
  auto o = three_schedulers(15);
  o.greedy_scheduler = true;
  o.by_hand = 0.02;
  holds_for_seeds(o, 20);
}

BOOST_AUTO_TEST_CASE(no_job_gets_a_vnode_of_another_partition_whatever_is_altered) {  // MS-72 to MS-78
  auto o = three_schedulers(15);
  o.alterations = 0.02;
  o.by_hand = 0.02;
  holds_for_seeds(o, 20);
  o.scheduler_crash = o.scheduler_trouble = o.server_crash = o.mom_crash = o.link_break = sometimes;
  holds_for_seeds(o, 30);
}

BOOST_AUTO_TEST_SUITE_END()
