// When periodic hooks run (docs/design/0023-hooks.md).
#include <boost/test/unit_test.hpp>

#include "test/unit/actors/server/reactions/watched_hooks.hpp"

using namespace annals;
using test::targets;

namespace {

struct by_the_clock : test::watched_hooks<reactions::periodic_hooks> {
  // Turned on with its script.
  std::uint64_t each(const char* freq, const std::string& name = "p") {
    const auto stream = hook(name, "periodic");
    set_hook(stream, "freq", freq);
    return stream;
  }
  std::uint64_t cause = 0;  // of the run that went out last
  bool is_due() {
    if (due().empty()) return false;
    cause = last[0].what->cause;
    return true;
  }
  void has_run(std::uint64_t hook, std::int64_t seconds = 0) { ran(hook, "periodic", cause, seconds); }
  void restart() {
    fold = {};
    replay();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(periodic_hooks, by_the_clock)

BOOST_AUTO_TEST_CASE(a_hook_runs_when_its_freq_is_over_and_again_when_it_is_over_once_more) {
  const auto p = hook("p", "periodic");
  const auto turned_on = last_sequence();  // its script came last
  set_hook(p, "freq", "10");
  BOOST_TEST(!is_due());
  BOOST_TEST(wait() == 10);
  later(10);
  BOOST_REQUIRE(is_due());
  BOOST_TEST(ordered<reactions::run_periodic_hook>().hook == "p");
  BOOST_TEST(cause == turned_on);
  has_run(p);
  BOOST_TEST(!is_due());
  BOOST_TEST(wait() == 10);
  later(10);
  BOOST_TEST(is_due());
  BOOST_TEST(cause == last_sequence());
}

BOOST_AUTO_TEST_CASE(freq_is_counted_from_the_beginning_of_a_run) {
  const auto p = each("10");
  later(10);
  BOOST_TEST(is_due());
  later(4);
  has_run(p, 4);
  BOOST_TEST(!is_due());
  BOOST_TEST(wait() == 6);
}

BOOST_AUTO_TEST_CASE(a_hook_that_still_runs_is_not_begun_anew_and_runs_at_once_when_it_is_late) {
  const auto p = each("10");
  later(10);
  BOOST_TEST(is_due());
  later(25);
  BOOST_TEST(!is_due());
  answer(true);
  later(1);
  BOOST_TEST(!is_due());  // its run is being written
  has_run(p, 26);
  BOOST_TEST(is_due());
}

BOOST_AUTO_TEST_CASE(a_worker_can_not_have_its_hook_run_more_often_by_what_it_says) {
  const auto p = each("10");
  later(10);
  BOOST_TEST(is_due());
  has_run(p, 1'000'000'000);
  BOOST_TEST(!is_due());
  BOOST_TEST(wait() == 10);
}

BOOST_AUTO_TEST_CASE(a_hook_that_is_turned_off_or_deleted_does_not_run_and_its_last_run_counts_when_it_is_on_again) {
  const auto p = each("10");
  set_hook(p, "enabled", "false");
  later(100);
  BOOST_TEST(!is_due());
  BOOST_TEST(wait() == -1);
  set_hook(p, "enabled", "true");
  BOOST_TEST(is_due());
  has_run(p);
  set_hook(p, "enabled", "false");
  later(4);
  set_hook(p, "enabled", "true");
  BOOST_TEST(!is_due());
  BOOST_TEST(wait() == 6);
  set_hook(p, "event", "queuejob");
  later(10);
  BOOST_TEST(!is_due());
  set_hook(p, "event", "periodic");
  delete_hook(p);
  BOOST_TEST(!is_due());
  BOOST_TEST(wait() == -1);
}

BOOST_AUTO_TEST_CASE(a_freq_that_is_changed_counts_from_the_last_run) {
  const auto p = each("3600");
  later(20);
  BOOST_TEST(!is_due());
  set_hook(p, "freq", "30");
  BOOST_TEST(!is_due());
  BOOST_TEST(wait() == 10);
}

BOOST_AUTO_TEST_CASE(a_start_of_the_server_begins_all_periods_anew) {
  const auto p = each("10");
  later(10);
  BOOST_TEST(is_due());
  start();  // the run that was on its way is gone
  restart();
  BOOST_TEST(!is_due());
  BOOST_TEST(wait() == 10);
  has_run(p);  // and what is written of it late changes nothing
  BOOST_TEST(wait() == 10);
  later(10);
  BOOST_TEST(is_due());
}

BOOST_AUTO_TEST_CASE(a_log_that_is_folded_once_more_owes_the_same) {
  const auto p = each("10"), q = each("20", "q");
  later(10);
  BOOST_TEST(is_due());
  has_run(p);
  later(10);
  restart();
  const auto both = targets{"q", "p"};  // the oldest first
  BOOST_TEST(due() == both);
  ran(q, "periodic", last[0].what->cause);
  restart();
  BOOST_TEST(due() == targets{"p"});
}

BOOST_AUTO_TEST_CASE(a_run_that_was_refused_is_had_again_when_the_freq_is_over_once_more) {
  each("10");
  later(10);
  BOOST_TEST(is_due());
  answer(false);  // the hook can't be read
  BOOST_TEST(wait() == 10);
  later(9);
  BOOST_TEST(!is_due());
  later(1);
  BOOST_TEST(is_due());
}

BOOST_AUTO_TEST_CASE(a_run_of_the_hook_at_another_event_does_not_count) {
  const auto p = hook("p", "periodic,queuejob");
  set_hook(p, "freq", "10");
  later(5);
  ran(p, "alice@borg", 0);
  later(5);
  BOOST_TEST(is_due());
}

BOOST_AUTO_TEST_SUITE_END()
