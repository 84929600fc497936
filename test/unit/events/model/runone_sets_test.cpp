// Sets of jobs of which one is to run (docs/design/0054-dependencies.md).
#include "events/model/runone_sets.hpp"

#include <boost/test/unit_test.hpp>

using annals::model::runone_sets;
using numbers = std::vector<std::uint64_t>;

BOOST_AUTO_TEST_SUITE(runone)

BOOST_AUTO_TEST_CASE(sets_grow_and_become_one) {
  runone_sets s;
  s.join(2, 1);
  s.join(3, 1);
  s.join(3, 1);
  s.join(6, 5);
  BOOST_TEST(s.others(2) == (numbers{1, 3}));
  BOOST_TEST(s.others(5) == (numbers{6}));
  s.runs(6);
  BOOST_TEST(!s.runner_beside(1));
  s.join(6, 2);
  BOOST_TEST(s.others(1) == (numbers{2, 3, 5, 6}));
  BOOST_TEST(s.runner_beside(1).value_or(0) == 6u);
  BOOST_TEST(!s.runner_beside(6));
  s.waits(6);
  BOOST_TEST(!s.runner_beside(1));
  BOOST_TEST(s.others(9) == numbers{});
}

BOOST_AUTO_TEST_CASE(the_first_job_of_a_cluster_has_number_0) {
  runone_sets s;
  s.join(1, 0);
  s.runs(0);
  BOOST_TEST(s.runner_beside(1).has_value());
  BOOST_TEST(!s.runner_beside(0));
}

BOOST_AUTO_TEST_CASE(nothing_is_left_of_a_set_that_is_over) {
  runone_sets s;
  s.join(2, 1);
  s.runs(2);
  s.leave(2);
  BOOST_TEST(s.runner_beside(1).value_or(0) == 2u);  // it ran: the other one must not
  s.leave(1);
  BOOST_TEST((s == runone_sets()));
  s.join(2, 1);
  s.leave(2);
  BOOST_TEST((s == runone_sets()));
  s.leave(2);
  s.runs(2);
  s.waits(2);
  BOOST_TEST((s == runone_sets()));
}

BOOST_AUTO_TEST_SUITE_END()
