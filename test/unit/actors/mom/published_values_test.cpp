// Values that tasks of a run leave for each other (docs/design/0022-task-manager.md).
#include "actors/mom/runs/published_values.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

#include "events/model/run/task_limits.hpp"

using namespace annals;

namespace {

// A task of another host that asks.
actors::task_origin asker(std::uint64_t question, const std::string& host = "n2") { return {{nullptr, question}, host}; }

struct fixture {
  std::string answers;  // "1@n2 done, 2@n2 bytes:x"
  actors::published_values values{[this](const actors::task_origin& to, const actors::task_answer& what) {
    using kind = actors::task_answer::kind;
    const auto said = what.what == kind::bytes    ? "bytes:" + what.bytes
                      : what.what == kind::failed ? "failed:" + what.error
                                                  : std::string("done");
    answers += (answers.empty() ? "" : ", ") + std::to_string(to.asker.question) + "@" + to.host + " " + said;
  }};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(values_of_tasks, fixture)

BOOST_AUTO_TEST_CASE(a_value_is_there_for_whoever_asks_later) {
  BOOST_TEST(!values.find(2, "port"));
  values.publish(asker(1), 2, "port", "4711");
  BOOST_TEST(answers == "1@n2 done");
  BOOST_REQUIRE(values.find(2, "port"));
  BOOST_TEST(*values.find(2, "port") == "4711");
  BOOST_TEST(!values.find(3, "port"));
}

BOOST_AUTO_TEST_CASE(all_who_wait_for_a_value_are_answered_once_before_who_publishes_it) {
  values.subscribe(asker(1), 2, "port");
  values.subscribe(asker(2, "n3"), 2, "port");
  values.subscribe(asker(3), 2, "other");
  values.publish(asker(4), 2, "port", "4711");
  BOOST_TEST(answers == "1@n2 bytes:4711, 2@n3 bytes:4711, 4@n2 done");
  answers.clear();
  values.publish(asker(5), 2, "port", "4712");
  BOOST_TEST(answers == "5@n2 done");
}

BOOST_AUTO_TEST_CASE(who_is_gone_and_who_asked_on_a_host_that_is_gone_is_not_answered) {
  values.subscribe(asker(1), 2, "port");
  values.subscribe(asker(2), 2, "port");
  values.subscribe(asker(2, "n3"), 2, "port");
  values.subscribe(asker(3, "n4"), 2, "port");
  values.forget(asker(2));
  values.forget_askers_of("n4");
  values.publish(asker(4), 2, "port", "4711");
  BOOST_TEST(answers == "1@n2 bytes:4711, 2@n3 bytes:4711, 4@n2 done");
}

BOOST_AUTO_TEST_CASE(who_waits_for_a_lost_task_is_told_so) {
  values.subscribe(asker(1), 2, "port");
  values.subscribe(asker(2), 3, "port");
  values.fail(2, actors::host_failure("n5"));
  BOOST_TEST(answers == "1@n2 failed:lost communication with n5");
  answers.clear();
  values.publish(asker(3), 3, "port", "4711");
  BOOST_TEST(answers == "2@n2 bytes:4711, 3@n2 done");
}

BOOST_AUTO_TEST_CASE(a_run_has_so_many_values_and_no_more) {
  for (std::size_t i = 0; i < limits::published_values_max; ++i) values.publish(asker(i), 2, std::to_string(i), "");
  BOOST_TEST(answers.find("failed") == std::string::npos);
  answers.clear();
  values.publish(asker(1), 2, "one more", "");
  BOOST_TEST(answers == "1@n2 failed:too much is published");
  answers.clear();
  values.publish(asker(2), 2, "0", "another value");
  BOOST_TEST(answers == "2@n2 done");
}

BOOST_AUTO_TEST_CASE(values_of_a_run_have_so_many_bytes_together_and_no_more) {
  values.publish(asker(1), 2, "a", std::string(limits::published_bytes_of_run_max, 'x'));
  values.publish(asker(2), 2, "b", "x");
  values.publish(asker(3), 2, "a", "x");  // in place of the long one
  values.publish(asker(4), 2, "b", "x");
  BOOST_TEST(answers == "1@n2 done, 2@n2 failed:too much is published, 3@n2 done, 4@n2 done");
}

BOOST_AUTO_TEST_SUITE_END()
