// Runs that a host was made to give up unheard (docs/design/0020-jobs-across-hosts.md).
#include <boost/test/unit_test.hpp>

#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using test::targets;

namespace {

struct unheard : test::watched<reactions::abandoned_runs> {
  std::uint64_t n1 = host("n1"), n2 = host("n2");
  std::uint64_t job = assigned({"n1", "n2"}, queued(7));

  // As one command that forces a run to its end where no history is kept.
  void deleted_by_force(std::uint64_t job, const char* host) {
    std::vector<model::event> events;
    events.push_back(model::make_event([&](auto e) {
      auto b = e.initJob().initVnodesReleased();
      b.setRun(1);
      b.initHosts(1).set(0, host);
      b.setWhy(schema::ReleaseReason::ABANDONED);
    }));
    events.push_back(model::make_event([](auto e) { e.initJob().initEnded(); }));
    events.push_back(model::make_event([](auto e) { e.initJob().setForgotten(); }));
    base::write(job, std::move(events));
  }
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
  BOOST_TEST(ordered<reactions::discard_run>().job == "7.borg");
  answer(true);
  later(3600);
  BOOST_TEST(due() == targets{});
}

BOOST_AUTO_TEST_CASE(a_host_is_told_also_of_a_job_that_is_forgotten_with_its_run) {
  deleted_by_force(job, "n2");
  BOOST_TEST(due().size() == 1u);
  BOOST_TEST(ordered<reactions::discard_run>().host == "n2");
  BOOST_TEST(ordered<reactions::discard_run>().job == "7.borg");
  fold = {};
  replay();
  BOOST_TEST(due().size() == 1u);
  BOOST_TEST(ordered<reactions::discard_run>().job == "7.borg");
}

// Else each forced delete would be remembered as long as its host stays up.
BOOST_AUTO_TEST_CASE(what_was_forgotten_is_owed_for_a_minute) {
  deleted_by_force(job, "n2");
  later(59);
  BOOST_TEST(due().size() == 1u);
  answer(false);
  later(2);
  BOOST_TEST(due() == targets{});
  fold = {};
  replay();
  BOOST_TEST(due() == targets{});
}

BOOST_AUTO_TEST_CASE(nothing_is_owed_to_a_host_that_came_up_anew_or_is_gone) {
  for (const bool is_removed : {false, true}) {
    deleted_by_force(assigned({"n2"}, queued(8)), "n2");
    if (is_removed) remove(n2);
    else up(n2);
    fold = {};
    replay();
    BOOST_TEST(due() == targets{});
  }
}

BOOST_AUTO_TEST_SUITE_END()
