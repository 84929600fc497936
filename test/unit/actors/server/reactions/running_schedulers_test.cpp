// Which schedulers the server starts and ends, where, and when (docs/design/0041-running-schedulers.md).
#include <boost/test/unit_test.hpp>

#include "events/model/limits.hpp"
#include "events/model/scheduler/places.hpp"
#include "test/unit/actors/server/reactions/watched_schedulers.hpp"

using namespace annals;
using reactions::start_scheduler;
using reactions::stop_scheduler;
using test::targets;

namespace {

struct cluster : test::watched_schedulers<reactions::running_schedulers> {
  const std::uint64_t first = scheduler("default", {{"scheduling", "True"}, {"sched_host", "borg"}});
  // With its partition, and to run.
  std::uint64_t second(const char* host = nullptr) {
    const auto s = scheduler("s1", {{"partition", "P1"}});
    if (host) change(s, {{"sched_host", host}});
    change(s, {{"scheduling", "True"}});
    return s;
  }
  // What is due now is taken as given.
  bool is_due(const std::string& target) {
    const auto now = due();
    return std::ranges::find(now, target) != now.end();
  }
  std::uint64_t node(const char* name) {
    const auto n = host(name);
    up(n);
    return n;
  }
};

struct with_default_here : cluster {
  with_default_here() { came(first); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(running_schedulers, cluster)

BOOST_AUTO_TEST_CASE(a_server_starts_those_that_are_to_run) {  // MS-20, MS-36, MS-86
  scheduler("off", {{"partition", "P1"}});
  second();
  BOOST_TEST(due() == (targets{"default on borg", "s1 on borg"}));
  BOOST_TEST(ordered<start_scheduler>(1).priv == "/h/sched_priv_s1");
  BOOST_TEST(ordered<start_scheduler>(1).logs == "/h/sched_log_s1");
  BOOST_TEST(!ordered<start_scheduler>(1).elsewhere);
  restart();
  BOOST_TEST(due() == (targets{"default on borg", "s1 on borg"}));
}

BOOST_FIXTURE_TEST_CASE(one_without_a_partition_is_started_once_to_say_so, with_default_here) {  // MS-49
  const auto s = scheduler("s1", {{"scheduling", "True"}});
  BOOST_TEST(due() == targets{"s1 on borg"});
  failed(s);
  later(3600);
  BOOST_TEST(due().empty());
  BOOST_TEST(wait() == -1);
  change(s, {{"scheduling", "True"}});
  BOOST_TEST(due() == targets{"s1 on borg"});
  failed(s);
  change(s, {{"partition", "P1"}});
  BOOST_TEST(due() == targets{"s1 on borg"});
  came(s);
  change(s, {{"partition", nullptr}});  // it says so itself, and ends
  went(s);
  later(3600);
  BOOST_TEST(due().empty());
}

BOOST_AUTO_TEST_CASE(one_that_is_connected_is_owed_nothing_whoever_started_it) {
  came(first, "by-hand.example.com");
  BOOST_TEST(due().empty());
  BOOST_TEST(wait() == -1);
  BOOST_TEST(is_due("default on borg") == false);
  const auto s = second();
  came(s);
  BOOST_TEST(due().empty());
}

BOOST_AUTO_TEST_CASE(a_start_is_asked_for_again_until_the_scheduler_is_there) {
  BOOST_TEST(due() == targets{"default on borg"});
  answer(true);
  BOOST_TEST(due().empty());
  later(10);
  BOOST_TEST(due() == targets{"default on borg"});
  came(first);
  later(10);
  BOOST_TEST(due().empty());
}

BOOST_AUTO_TEST_CASE(one_that_ended_is_started_at_once_and_one_that_cannot_live_later_and_later) {  // MS-86
  came(first);
  went(first);
  BOOST_TEST(due() == targets{"default on borg"});
  for (const int pause : {1, 2, 4, 8, 16, 32, 60, 60}) {
    came(first);
    went(first);
    BOOST_TEST(due().empty());
    BOOST_TEST(wait() == pause);
    later(pause);
    BOOST_TEST(due() == targets{"default on borg"});
  }
  came(first);
  later(limits::scheduler_steady_s);
  went(first);
  BOOST_TEST(due() == targets{"default on borg"});  // it has lived
}

BOOST_AUTO_TEST_CASE(a_start_that_failed_is_tried_again_later_and_later) {
  BOOST_TEST(due() == targets{"default on borg"});
  for (const int pause : {1, 2, 4}) {
    failed(first);
    BOOST_TEST(due().empty());
    BOOST_TEST(wait() == pause);
    later(pause);
    BOOST_TEST(due() == targets{"default on borg"});
  }
  failed(first);
  change(first, {{"scheduling", "True"}});  // an administrator does not wait
  BOOST_TEST(due() == targets{"default on borg"});
  restart();
  BOOST_TEST(due() == targets{"default on borg"});
}

BOOST_AUTO_TEST_CASE(scheduling_turned_off_starts_nothing_and_ends_nothing) {
  came(first);
  change(first, {{"scheduling", "False"}});
  BOOST_TEST(due().empty());
  went(first);
  BOOST_TEST(due().empty());
  change(first, {{"scheduling", "True"}});
  BOOST_TEST(due() == targets{"default on borg"});
  change(first, {{"scheduling", "False"}});
  later(60);
  BOOST_TEST(due().empty());
}

BOOST_AUTO_TEST_CASE(a_server_that_winds_up_starts_nothing) {
  set("server_state", "Terminating");
  BOOST_TEST(due().empty());
  restart();
  BOOST_TEST(due() == targets{"default on borg"});
}

BOOST_AUTO_TEST_CASE(who_does_not_come_back_after_a_restart_is_missed) {  // MS-42
  came(first);
  change(first, {{"scheduling", "False"}});
  restart();
  BOOST_TEST(due().empty());
  BOOST_TEST(wait() == 10);
  later(10);
  BOOST_TEST(due() == targets{"silence of default"});
  BOOST_TEST(ordered<reactions::miss_scheduler>().name == "default");
  went(first, "no contact since the server's start");
  BOOST_TEST(due().empty());
  came(first);
  restart();
  came(first);
  later(10);
  BOOST_TEST(due().empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(schedulers_of_other_hosts, with_default_here)

BOOST_AUTO_TEST_CASE(a_scheduler_is_started_by_the_mom_of_its_host) {  // MS-06, MS-30
  node("n1");
  const auto s = second("n1.example.com");
  BOOST_TEST(due() == targets{"s1 on n1"});
  BOOST_TEST(ordered<start_scheduler>().elsewhere);
  BOOST_TEST(ordered<start_scheduler>().host == "n1");
  came(s, "n1");
  BOOST_TEST(due().empty());
}

BOOST_AUTO_TEST_CASE(one_whose_host_is_down_is_started_on_the_servers_host) {  // MS-59, MS-60
  const auto n = node("n1");
  const auto s = second("n1");
  came(s, "n1");
  down(n);
  BOOST_TEST(due().empty());  // it is there: nobody asks for its MoM
  went(s);
  BOOST_TEST(due() == targets{"s1 on borg"});
  BOOST_TEST(!ordered<start_scheduler>().elsewhere);
  came(s, "borg");
  up(n);
  BOOST_TEST(due().empty());  // it stays until somebody wants it back
  change(s, {{"sched_host", "n1"}});
  BOOST_TEST(due() == targets{"end of s1 on borg"});
  BOOST_TEST(!ordered<stop_scheduler>().elsewhere);
  went(s, model::told_to_end);
  BOOST_TEST(due() == targets{"s1 on n1"});
}

BOOST_AUTO_TEST_CASE(a_start_that_waits_for_a_host_moves_when_that_goes_down) {  // MS-60
  const auto n = node("n1");
  const auto s = second("n1");
  BOOST_TEST(due() == targets{"s1 on n1"});
  answer(false);
  down(n);
  BOOST_TEST(due() == targets{"s1 on borg"});
  came(s, "borg");
  BOOST_TEST(due().empty());
}

BOOST_AUTO_TEST_CASE(one_whose_host_is_no_node_is_started_on_the_servers_host) {  // MS-60
  second("nowhere");
  BOOST_TEST(due() == targets{"s1 on borg"});
}

BOOST_AUTO_TEST_CASE(one_that_its_mom_cannot_start_twice_is_started_on_the_servers_host) {  // MS-60
  node("n1");
  const auto s = second("n1");
  BOOST_TEST(due() == targets{"s1 on n1"});
  failed(s);
  later(1);
  BOOST_TEST(due() == targets{"s1 on n1"});
  failed(s);
  later(2);
  BOOST_TEST(due() == targets{"s1 on borg"});
}

BOOST_AUTO_TEST_CASE(one_that_is_given_another_host_ends_here_and_begins_there) {
  node("n1");
  node("n2");
  const auto s = second("n1");
  came(s, "n1");
  change(s, {{"sched_host", "n2"}});
  BOOST_TEST(due() == targets{"end of s1 on n1"});
  BOOST_TEST(ordered<stop_scheduler>().elsewhere);
  went(s, model::told_to_end);
  BOOST_TEST(due() == targets{"s1 on n2"});  // at once: it did what it was told
  came(s, "n2");
  change(s, {{"sched_host", nullptr}});
  BOOST_TEST(due() == targets{"end of s1 on n2"});
}

BOOST_AUTO_TEST_CASE(one_whose_object_is_deleted_ends) {
  node("n1");
  const auto s = second("n1");
  came(s, "n1");
  deleted(s);
  BOOST_TEST(due() == targets{"end of s1 on n1"});
  BOOST_TEST(ordered<stop_scheduler>().priv == "/h/sched_priv_s1");
  answer(true);
  later(100);
  BOOST_TEST(due().empty());
  restart();
  BOOST_TEST(is_due("end of s1 on n1") == false);
}

BOOST_AUTO_TEST_SUITE_END()
