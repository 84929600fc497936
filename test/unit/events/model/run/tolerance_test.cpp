// What a run does when another of its hosts fails, and the job bears it.
#include <boost/test/unit_test.hpp>

#include "events/model/limits.hpp"
#include "test/unit/events/model/run/run_story.hpp"

using namespace annals;
using namespace annals::test;

namespace {

run_story given_tolerant(const std::string& value) {
  run_story s;
  s.when(model::take_order{order({{"tolerate_node_failures", "", value}}, {"n2", "n3"})});
  return s;
}
run_story given_tolerant_started(const std::string& value) {
  auto s = given_tolerant(value);
  s.when(model::sister_joined{"n2"});
  s.when(model::sister_joined{"n3"});
  s.when(model::joins_over{false});
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  return s;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tolerance)

// RS-03, RS-04
BOOST_AUTO_TEST_CASE(a_host_that_refuses_to_join_does_not_end_the_start) {
  for (const char* value : {"all", "job_start"}) {
    auto first = given_tolerant(value);
    BOOST_TEST(first.when(model::sister_refused{"n2", 15169, "a hook says no"}) == "sisterFailed");
    BOOST_TEST(first.when(model::sister_refused{"n2", 15169, "a hook says no"}) == "");
    BOOST_TEST(owed(first.run) == "say-steps, ask n3");
    BOOST_TEST(first.when(model::sister_joined{"n3"}) == "sisterJoined");
    BOOST_TEST(first.when(model::joins_over{false}) == "programStarting");
    auto last = given_tolerant(value);
    last.when(model::sister_joined{"n3"});
    BOOST_TEST(last.when(model::sister_refused{"n2", 15169, "a hook says no"}) == "sisterFailed");
    BOOST_TEST(owed(last.run) == "say-steps, launch, keep n3");
    BOOST_TEST(last.when(model::joins_over{false}) == "programStarting");
    BOOST_TEST(last.when(model::sister_refused{"n2", 15169, "a hook says no"}) == "");  // once more, over another link
    last.when(model::program_began{{100, 100, 5, "/home/user1"}});
    BOOST_TEST(last.when(model::sister_refused{"n2", 15169, "a hook says no"}) == "");
    BOOST_TEST(last.run.kill_signal == "");
  }
}

// RS-46
BOOST_AUTO_TEST_CASE(a_host_that_is_silent_or_loses_the_job_does_not_end_the_start) {
  auto silent = given_tolerant("job_start");
  silent.when(model::sister_joined{"n2"});
  BOOST_TEST(silent.loses({"n2", {}, 0}) == "sisterFailed");
  auto lost = given_tolerant("job_start");
  lost.when(model::sister_joined{"n2"});
  BOOST_TEST(lost.when(model::sister_left{{"n2", {}, 1}}) == "sisterFailed");
  BOOST_TEST(lost.when(model::sister_joined{"n2"}) == "");  // late
  BOOST_TEST(lost.when(model::sister_joined{"n3"}) == "sisterJoined");
  BOOST_TEST(lost.when(model::joins_over{false}) == "programStarting");
}

// RS-45
BOOST_AUTO_TEST_CASE(the_program_starts_without_those_that_have_not_joined_in_time) {
  auto s = given_tolerant("job_start");
  s.when(model::sister_joined{"n3"});
  BOOST_TEST(s.rings(model::run_timer::join_alarm) == "joinWaitEnded sisterFailed");
  BOOST_TEST(owed(s.run) == "say-steps, launch, keep n3");
  BOOST_TEST(s.rings(model::run_timer::join_alarm) == "");
  BOOST_TEST(s.when(model::joins_over{false}) == "programStarting");
  BOOST_TEST(owed(s.run) == "say-steps, start, keep n3");
  auto alone = given_tolerant("all");
  BOOST_TEST(alone.rings(model::run_timer::join_alarm) == "joinWaitEnded sisterFailed sisterFailed");
  BOOST_TEST(alone.when(model::joins_over{true}) == "programStarting");  // nobody else runs hooks
  BOOST_TEST(owed(alone.run) == "say-steps, start");
}

// RS-03
BOOST_AUTO_TEST_CASE(with_all_a_host_that_is_lost_later_does_not_end_the_job) {
  auto s = given_tolerant_started("all");
  s.when(model::ask_task{"n2", "n1", 1, {"x"}, {}});
  BOOST_TEST(s.loses({"n2", {}, 0}) == "");  // it may come back
  BOOST_TEST(s.when(model::sister_back{"n2", s.now_ns}) == "sisterBack");
  BOOST_TEST(s.when(model::sister_left{{"n2", {}, 1}}) == "sisterFailed taskSettled");
  BOOST_TEST(s.run.tasks.at(2).exit_status == -4);
  BOOST_TEST(s.run.kill_signal == "");
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n3");
  const auto o = s.ask(model::ask_task{"n2", "n1", 1, {"x"}, {}});
  BOOST_TEST(!o.accepted());
}

// RS-03, RS-25: who waits for a task there is not left waiting; the host may come back.
BOOST_AUTO_TEST_CASE(with_all_the_tasks_of_a_host_that_stays_away_are_given_up) {
  auto s = given_tolerant_started("all");
  const auto asked = [&](const std::string& host) { return s.when(model::ask_task{host, "n1", 1, {"x"}, {}}); };
  for (const char* host : {"n2", "n2", "n3"}) BOOST_TEST(asked(host) == "taskAsked");
  s.when(model::task_told{3, "n2", model::task_told::state::running, 0, {}});
  s.when(model::sister_away{"n2", s.now_ns});
  BOOST_TEST(asked("n2") == "taskAsked");  // it may be back in a moment
  const auto timer = s.timer(model::run_timer::task_silence, "n2");
  BOOST_TEST_REQUIRE(timer.has_value());
  BOOST_TEST((timer->at_ns - timer->since_ns) / 1'000'000'000 == limits::sister_silence_s);
  BOOST_TEST(s.rings(model::run_timer::task_silence, {"n2", {}, 0}) == "sisterAway taskSettled taskSettled taskSettled");
  BOOST_TEST(!s.timer(model::run_timer::task_silence, "n2").has_value());
  for (const auto number : {2u, 3u, 5u}) BOOST_TEST(s.run.tasks.at(number).lost());
  BOOST_TEST(!s.run.tasks.at(2).started);
  BOOST_TEST(s.run.tasks.at(3).started);
  BOOST_TEST(!s.run.tasks.at(4).over);
  const auto refused = s.ask(model::ask_task{"n2", "n1", 1, {"x"}, {}});
  BOOST_TEST_REQUIRE(!refused.accepted());
  BOOST_TEST(refused.why().text == "lost communication with n2");
  BOOST_TEST((s.run.sister("n2")->phase == model::sister_phase::joined));
  BOOST_TEST(s.when(model::sister_back{"n2", s.now_ns}) == "sisterBack");
  BOOST_TEST(s.when(model::task_told{3, "n2", model::task_told::state::ended, 0, {}}) == "");  // it stays lost
  BOOST_TEST(asked("n2") == "taskAsked");
  BOOST_TEST(owed(s.run).ends_with("spawn 4, spawn 6"));
  for (const char* value : {"job_start", "none"}) {  // they end with the job
    auto other = given_tolerant_started(value);
    other.when(model::sister_away{"n2", other.now_ns});
    BOOST_TEST(!other.timer(model::run_timer::task_silence, "n2").has_value());
  }
}

// RS-04, RS-65: a program that is not started yet can be told of it.
BOOST_AUTO_TEST_CASE(a_host_that_is_lost_before_the_program_starts_fails_in_time_to_be_shown) {
  for (const char* value : {"all", "job_start"}) {
    auto s = given_tolerant(value);
    s.when(model::sister_joined{"n2"});
    s.when(model::sister_joined{"n3"});
    s.when(model::joins_over{false});
    BOOST_TEST(s.loses({"n2", {}, 0}) == "sisterFailed");
    s.when(model::program_began{{100, 100, 5, "/home/user1"}});
    BOOST_TEST(s.when(model::sister_left{{"n2", {}, 1}}) == "");
    BOOST_TEST(s.run.kill_signal == "");
  }
}

// RS-02, RS-04, RS-05
BOOST_AUTO_TEST_CASE(else_a_host_that_is_lost_later_ends_the_job) {
  for (const char* value : {"job_start", "none"}) {
    auto s = given_tolerant_started(value);
    BOOST_TEST(s.loses({"n2", {}, 0}) == "sisterFailed killRequested");
    auto lost = given_tolerant_started(value);
    BOOST_TEST(lost.when(model::sister_left{{"n2", {}, 1}}) == "sisterFailed killRequested");
  }
}

// RS-05
BOOST_AUTO_TEST_CASE(none_bears_nothing) {
  auto s = given_tolerant("none");
  BOOST_TEST(s.when(model::sister_refused{"n2", 15058, "no such user"}) == "sisterFailed sisterLeft refused");
}

// RS-02, RS-25, RS-27, RS-36
BOOST_AUTO_TEST_CASE(spare_chunks_imply_tolerance_and_an_explicit_value_wins) {
  const setting newer{"Resource_List", "select_reliable_startup", "3:ncpus=1"}, older{"Resource_List", "rjselect", "3:ncpus=1"};
  const auto bears = [](const given_values& s) {
    run_story story;
    story.when(model::take_order{order(s, {"n2", "n3"})});
    return story.run.tolerates;
  };
  using values::tolerance;
  BOOST_TEST((bears({}) == tolerance::none));
  BOOST_TEST((bears({newer}) == tolerance::all));
  BOOST_TEST((bears({older}) == tolerance::job_start));
  BOOST_TEST((bears({older, newer}) == tolerance::all));
  BOOST_TEST((bears({newer, {"tolerate_node_failures", "", "none"}}) == tolerance::none));
  BOOST_TEST((bears({newer, {"tolerate_node_failures", "", "job_start"}}) == tolerance::job_start));
  BOOST_TEST((bears({older, {"tolerate_node_failures", "", "all"}}) == tolerance::all));
}

// RS-124: what the first host itself refuses.
BOOST_AUTO_TEST_CASE(the_first_host_is_not_borne) {
  auto s = given_tolerant("all");
  s.when(model::sister_joined{"n2"});
  s.when(model::sister_joined{"n3"});
  s.when(model::joins_over{true});
  BOOST_TEST(s.when(model::hooks_done{{}, ports::start_failed{-16, "a hook says no"}}) == "refused");
}

BOOST_AUTO_TEST_CASE(a_host_that_failed_is_asked_to_leave_with_the_others_at_the_end) {
  auto s = given_tolerant("all");
  s.when(model::sister_refused{"n2", 15169, "a hook says no"});
  s.when(model::sister_joined{"n3"});
  s.when(model::joins_over{false});
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(owed(s.run) == "say-steps, release n2, release n3");
  BOOST_TEST(s.when(model::sister_left{{"n2", {}, 1}}) == "sisterLeft");
  BOOST_TEST(s.when(model::sister_left{{"n3", {}, 1}}) == "sisterLeft");
  BOOST_TEST(s.run.all_left());
}

BOOST_AUTO_TEST_SUITE_END()
