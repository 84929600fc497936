// Runs that a host was made to give up unheard (docs/design/0020-jobs-across-hosts.md).
#include <boost/test/unit_test.hpp>

#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using test::targets;

namespace {

struct unheard : test::watched<reactions::abandoned_runs> {
  std::uint64_t n1 = host("n1"), n2 = host("n2");
  std::uint64_t job = assigned({"n1", "n2"});
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(abandoned_runs, unheard)

BOOST_AUTO_TEST_CASE(a_host_is_told_of_what_it_was_made_to_give_up) {
  handed_back(job, "n1");
  BOOST_TEST(due() == targets{});
  handed_back(job, "n2", true);
  BOOST_TEST(due().size() == 1u);
  BOOST_TEST(ordered<reactions::discard_run>().host == "n2");
  BOOST_TEST(ordered<reactions::discard_run>().serial == job);
  BOOST_TEST(ordered<reactions::discard_run>().run == 1u);
  answer(true);
  later(3600);
  BOOST_TEST(due() == targets{});
}

BOOST_AUTO_TEST_CASE(nothing_is_owed_to_a_host_that_came_up_anew_or_is_gone_or_for_a_job_that_is_forgotten) {
  for (const int way : {0, 1, 2}) {
    const auto other = assigned({"n2"});
    handed_back(other, "n2", true);
    if (way == 0) up(n2);
    if (way == 1) write(other, model::make_event([](auto e) { e.initJob().setForgotten(); }));
    if (way == 2) remove(n2);
    fold = {};
    replay();
    BOOST_TEST(due() == targets{});
  }
}

BOOST_AUTO_TEST_SUITE_END()
