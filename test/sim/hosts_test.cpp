// Stories of jobs on several hosts while anybody may fail at any time: what PBS makes of each job, vnodes that are free exactly
// when the job is gone, no leaks, exact usage and accounting (host_checks.hpp).
#include "test/sim/seeds.hpp"

using namespace annals;
using sim::holds_for_seeds, sim::often, sim::sometimes, sim::seldom;

namespace {

// Three hosts, jobs on up to three of them, most with tasks; watched.
sim::options wide_jobs(int jobs = 10) { return {.moms = 3, .jobs = jobs, .watch_hosts = true, .wide = 0.7, .tasks = 0.6}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(hosts)

BOOST_AUTO_TEST_CASE(a_quiet_day_leaves_nothing_behind) { holds_for_seeds(wide_jobs(), 5); }

BOOST_AUTO_TEST_CASE(hosts_that_lose_their_power_give_their_vnodes_back_when_the_jobs_are_gone) {
  auto o = wide_jobs();
  o.power_off = seldom;
  holds_for_seeds(o, 10);
}

BOOST_AUTO_TEST_CASE(hosts_that_lose_their_disks_too_are_no_trouble_to_others) {
  auto o = wide_jobs();
  o.power_off = seldom;
  o.new_disk = 0.5;
  holds_for_seeds(o, 10);
}

BOOST_AUTO_TEST_CASE(who_stands_still_goes_on_where_it_was) {
  auto o = wide_jobs();
  o.pause = sometimes;
  holds_for_seeds(o, 10);
}

BOOST_AUTO_TEST_CASE(who_is_cut_off_ends_what_was_given_up_meanwhile) {
  auto o = wide_jobs();
  o.partition = sometimes;
  o.node_fail_s = 20;
  holds_for_seeds(o, 15);
}

BOOST_AUTO_TEST_CASE(what_an_operator_does_meanwhile_breaks_nothing) {
  auto o = wide_jobs(15);
  o.by_hand = 0.05;
  o.partition = seldom;
  o.mom_crash = sometimes;
  holds_for_seeds(o, 10);
}

BOOST_AUTO_TEST_CASE(all_of_a_suspended_job_stands_still_and_nothing_else) {
  auto o = wide_jobs(15);
  o.by_hand = 0.1;
  o.watch_suspension = true;
  holds_for_seeds(o, 60);
}

BOOST_AUTO_TEST_CASE(all_of_a_job_stands_still_while_the_load_of_a_host_stops_it) {
  auto o = wide_jobs(15);
  o.loads = 0.3;
  o.watch_suspension = true;
  sim::world one(o);
  BOOST_TEST(one.run() == "");
  BOOST_TEST(one.story().find("stopped = true") != std::string::npos);  // there are loads
  holds_for_seeds(o, 20);
  o.by_hand = 0.1;
  holds_for_seeds(o, 40);
  o.watch_suspension = false;  // it holds while all hear the server
  o.server_crash = o.mom_crash = o.link_break = sometimes;
  holds_for_seeds(o, 20);
}

// Messages, signals, suspension, deletion at every step of a start: before the order, while files come and hosts join, before the
// program's start is known; and the same to MoMs that die meanwhile.
BOOST_AUTO_TEST_CASE(who_speaks_to_a_job_that_starts_harms_nobody) {
  auto o = wide_jobs(12);
  o.by_hand = 0.1;
  o.staging = 0.3;
  holds_for_seeds(o, 10);
  o.mom_crash = sometimes;
  holds_for_seeds(o, 10);
}

BOOST_AUTO_TEST_CASE(files_may_take_longer_to_come_than_a_ticket_lasts) {
  auto o = wide_jobs(3);
  o.staging = 1;
  o.staging_s = 700;
  o.wide = 1;
  holds_for_seeds(o, 3);
}

// 10,000 seeds have been run once (ANNALS_SIM_SEEDS).
BOOST_AUTO_TEST_CASE(everybody_fails_at_any_time) {
  auto o = wide_jobs(8);
  o.server_crash = o.scheduler_crash = seldom;
  o.mom_crash = o.link_break = sometimes;
  o.power_off = o.pause = o.partition = seldom;
  o.new_disk = 0.3;
  o.node_fail_s = 20;
  o.by_hand = 0.02;
  o.refused_places = 0.03;
  holds_for_seeds(o, 120);
}

// Of such a job some hosts may have failed, and the program runs all the same: once, and nothing of it is left anywhere.
BOOST_AUTO_TEST_CASE(jobs_that_bear_the_failure_of_hosts_leave_nothing_behind_either) {
  auto o = wide_jobs(8);
  o.tolerant = 0.8;
  o.refused_places = 0.1;
  o.mom_crash = o.link_break = sometimes;
  o.power_off = o.pause = o.partition = seldom;
  o.new_disk = 0.3;
  o.node_fail_s = 20;
  holds_for_seeds(o, 40);
  o.server_crash = seldom;
  o.by_hand = 0.02;
  holds_for_seeds(o, 60);
}

BOOST_AUTO_TEST_SUITE_END()
