// When the runs of a host that is down are given up (pbs guide: node_fail_requeue).
#include <boost/test/unit_test.hpp>

#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using test::targets;

namespace {

// Two hosts with a run each; a host is given up after 300 seconds.
struct lost : test::watched<reactions::lost_hosts> {
  std::uint64_t borg = host("borg"), federer = host("federer");
  std::uint64_t on_borg = assigned({"borg"}), on_federer = assigned({"federer", "borg"});

  lost() {
    set("node_fail_requeue", "300");
    due();
  }
  static std::string first_run(std::uint64_t job) { return test::of_job(job) + " run 1"; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lost_hosts, lost)

BOOST_AUTO_TEST_CASE(a_host_that_is_up_needs_no_timer) {
  BOOST_TEST(wait() == -1);
  down(borg);
  up(borg);
  due();
  BOOST_TEST(wait() == -1);
}

BOOST_AUTO_TEST_CASE(the_runs_of_a_host_are_given_up_when_its_time_is_over_and_again_while_they_are_there) {
  down(borg);
  due();
  later(100);
  down(federer);
  due();
  BOOST_TEST(wait() == 200);
  later(199);
  BOOST_TEST(due() == targets{});
  later(1);
  BOOST_TEST(due() == targets{first_run(on_borg)});  // not the run that has it as a sister
  BOOST_TEST(ordered<reactions::tell_job>().while_away == "borg");
  BOOST_TEST(std::get<model::run_lost>(ordered<reactions::tell_job>().command).host_gone);
  answer(false);  // it has said hello just now
  BOOST_TEST(due() == targets{});
  later(wait());
  BOOST_TEST(due() == targets{first_run(on_borg)});
  handed_back(on_borg, "borg", true);
  due();
  BOOST_TEST(wait() == 40);
  remove(federer);
  due();
  BOOST_TEST(wait() == -1);
}

BOOST_AUTO_TEST_CASE(a_host_that_is_down_for_another_reason_has_no_more_time) {
  down(borg);
  later(200);
  down(borg);
  due();
  BOOST_TEST(wait() == 100);
}

BOOST_AUTO_TEST_CASE(the_runs_of_the_host_that_went_down_first_are_given_up_first) {
  down(federer);
  down(borg);
  later(300);
  BOOST_TEST(due() == (targets{first_run(on_federer), first_run(on_borg)}));
}

BOOST_AUTO_TEST_CASE(a_run_that_comes_late_is_given_up_at_once) {
  down(borg);
  handed_back(on_borg, "borg", true);
  later(300);
  BOOST_TEST(due() == targets{});
  assigned({"borg"}, on_borg, 2);
  BOOST_TEST(due() == targets{test::of_job(on_borg) + " run 2"});
}

BOOST_AUTO_TEST_CASE(the_time_begins_with_the_server) {
  down(borg);
  later(1000);
  start();
  BOOST_TEST(due() == targets{});
  BOOST_TEST(wait() == 300);
}

BOOST_AUTO_TEST_CASE(zero_and_unset_are_for_ever_and_less_is_a_second) {
  down(borg);
  later(1);
  set("node_fail_requeue", "0");
  BOOST_TEST(due() == targets{});
  BOOST_TEST(wait() == -1);
  set("node_fail_requeue", nullptr);
  BOOST_TEST(due() == targets{});
  set("node_fail_requeue", "-5");
  BOOST_TEST(due() == targets{first_run(on_borg)});
}

BOOST_AUTO_TEST_CASE(a_host_that_went_down_while_the_clock_was_ahead_is_given_up_no_later) {
  constexpr std::int64_t week = 604'800;
  later(week);
  down(borg);
  due();
  BOOST_TEST(wait() == 300);
  later(-week);
  set("comment", "the log hears that the clock went back");
  due();
  BOOST_TEST(wait() == 300);
  later(300);
  BOOST_TEST(due() == targets{first_run(on_borg)});
}

BOOST_AUTO_TEST_SUITE_END()
