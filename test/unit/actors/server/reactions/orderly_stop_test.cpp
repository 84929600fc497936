// qterm -t immediate and -t delay, from the request to the server's end (pbs guide: qterm).
#include <boost/test/unit_test.hpp>

#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using test::of_job;
using test::targets;

namespace {

struct stopped : test::watched<reactions::orderly_stop> {
  std::uint64_t first = assigned({"n1"}), wide = assigned({"n1", "n2"});
  void asked(const char* state) { set("server_state", state); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(orderly_stop, stopped)

BOOST_AUTO_TEST_CASE(a_server_that_nobody_stops_owes_nothing) {
  BOOST_TEST(due() == targets{});
  BOOST_TEST(wait() == -1);
}

BOOST_AUTO_TEST_CASE(every_run_is_told_and_the_server_ends_when_the_last_has_left) {
  asked("Terminating");
  BOOST_TEST(due() == (targets{of_job(first), of_job(wide)}));
  BOOST_TEST(!std::get<model::server_stops>(ordered<reactions::tell_job>().command).waits_for_jobs);
  answer(true);
  later(3600);
  BOOST_TEST(due() == targets{});  // they are on their way
  handed_back(first, "n1");
  handed_back(wide, "n2");
  BOOST_TEST(due() == targets{});
  handed_back(wide, "n1");
  BOOST_TEST(due() == targets{"server"});
  BOOST_TEST(ordered<reactions::end_server>().how == "immediate");
  BOOST_TEST(due() == targets{});
}

BOOST_AUTO_TEST_CASE(a_job_that_could_not_be_told_is_told_again_and_so_is_one_that_was_assigned_afterwards) {
  asked("Terminating_Delayed");
  BOOST_TEST(due().size() == 2u);
  BOOST_TEST(std::get<model::server_stops>(ordered<reactions::tell_job>().command).waits_for_jobs);
  answer(false);  // the disk is full
  BOOST_TEST(wait() == 1);
  later(1);
  BOOST_TEST(due().size() == 2u);
  answer(true);
  const auto late = assigned({"n3"});
  BOOST_TEST(due() == targets{of_job(late)});
}

BOOST_AUTO_TEST_CASE(a_start_ends_the_request) {
  asked("Terminating");
  start();
  BOOST_TEST(due() == targets{});
}

BOOST_AUTO_TEST_SUITE_END()
