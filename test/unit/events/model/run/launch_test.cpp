// execjob_prologue hooks of a run's hosts: between the last host's joining and the program's start.
#include <boost/test/unit_test.hpp>

#include "test/unit/events/model/run/run_story.hpp"

using namespace annals;
using namespace annals::test;

namespace {

// Every host has joined, and runs its hooks.
run_story given_launching(const std::string& tolerant = "none") {
  run_story s;
  s.when(model::take_order{order({{"tolerate_node_failures", "", tolerant}}, {"n2", "n3"})});
  s.when(model::sister_joined{"n2"});
  s.when(model::sister_joined{"n3"});
  s.when(model::joins_over{true});
  return s;
}

constexpr auto* prologue_error = "job_start_error 15169 from node n2 could not IM_EXEC_PROLOGUE successfully: no";

}  // namespace

BOOST_AUTO_TEST_SUITE(launch)

// RS-56, RS-123
BOOST_AUTO_TEST_CASE(the_program_starts_when_the_hooks_of_every_other_host_are_over) {
  auto s = given_asked();
  s.when(model::sister_joined{"n2"});
  s.when(model::sister_joined{"n3"});
  BOOST_TEST(s.when(model::joins_over{true}) == "prologueAsked");
  BOOST_TEST(s.when(model::joins_over{true}) == "");
  BOOST_TEST(owed(s.run) == "say-steps, prologue, ask-prologue n2, ask-prologue n3, keep n2, keep n3");
  BOOST_TEST(s.when(model::prologue_over{"n3", 0, {}}) == "sisterReady");
  BOOST_TEST(s.when(model::prologue_over{"n3", 0, {}}) == "");
  BOOST_TEST(s.when(model::prologue_over{"n9", 0, {}}) == "");
  BOOST_TEST(owed(s.run) == "say-steps, prologue, ask-prologue n2, keep n2, keep n3");
  const auto steps = s.run.steps.size();
  BOOST_TEST(s.when(model::prologue_over{"n2", 0, {}}) == "sisterReady programStarting");
  BOOST_TEST(s.run.steps.size() == steps + 1);  // that n2 is ready; the program is told of when it has started
  BOOST_TEST(owed(s.run) == "say-steps, start, keep n2, keep n3");
}

BOOST_AUTO_TEST_CASE(an_answer_before_it_is_asked_for_is_none) {
  auto s = given_joined();
  BOOST_TEST(s.when(model::prologue_over{"n2", 0, {}}) == "");
  BOOST_TEST(s.when(model::prologue_over{"n2", 15169, "no"}) == "");
  s.when(model::joins_over{true});
  BOOST_TEST(owed(s.run) == "say-steps, prologue, ask-prologue n2, ask-prologue n3, keep n2, keep n3");
}

// RS-14
BOOST_AUTO_TEST_CASE(hooks_of_another_host_refuse_the_start) {
  const std::pair<int, int> codes[] = {{15169, -16}, {15136, -16}, {15170, -18}, {15171, -19}};
  for (const auto& [refusal, exit_status] : codes) {
    auto s = given_launching();
    BOOST_TEST(s.when(model::prologue_over{"n2", refusal, "no"}) == "sisterFailed refused");
    BOOST_TEST(s.run.exit_status == exit_status);
    BOOST_TEST(owed(s.run) == "say-steps, release n2, release n3");
  }
  auto s = given_launching();
  s.when(model::prologue_over{"n2", 15169, "no"});
  BOOST_TEST(s.run.text == prologue_error);
}

BOOST_AUTO_TEST_CASE(what_a_hook_wants_of_the_job_is_no_failure_that_is_borne) {
  for (const auto& [wish, exit_status] : {std::pair{15170, -18}, std::pair{15171, -19}}) {
    auto s = given_launching("all");
    BOOST_TEST(s.when(model::prologue_over{"n2", wish, "no"}) == "sisterFailed refused");
    BOOST_TEST(s.run.exit_status == exit_status);
    run_story joining;
    joining.when(model::take_order{order({{"tolerate_node_failures", "", "all"}}, {"n2", "n3"})});
    BOOST_TEST(joining.when(model::sister_refused{"n2", wish, "no"}) == "sisterFailed sisterLeft refused");
    BOOST_TEST(joining.run.exit_status == exit_status);
  }
}

// RS-03, RS-04, RS-65
BOOST_AUTO_TEST_CASE(a_job_that_bears_it_goes_on_without_the_host) {
  for (const char* value : {"all", "job_start"}) {
    auto s = given_launching(value);
    BOOST_TEST(s.when(model::prologue_over{"n2", 15169, "no"}) == "sisterFailed");
    BOOST_TEST((s.run.sister("n2")->phase == model::sister_phase::failed));
    BOOST_TEST(s.when(model::prologue_over{"n2", 0, {}}) == "");  // what failed stays failed
    BOOST_TEST(s.when(model::prologue_over{"n3", 0, {}}) == "sisterReady programStarting");
    auto last = given_launching(value);
    last.when(model::prologue_over{"n3", 0, {}});
    BOOST_TEST(last.when(model::prologue_over{"n2", 15169, "no"}) == "sisterFailed programStarting");
    auto lost = given_launching(value);
    lost.when(model::prologue_over{"n3", 0, {}});
    BOOST_TEST(lost.when(model::sister_left{{"n2", {}, 1}}) == "sisterFailed programStarting");
    auto silent = given_launching(value);
    silent.when(model::prologue_over{"n3", 0, {}});
    BOOST_TEST(silent.loses({"n2", {}, 0}) == "sisterFailed programStarting");
  }
}

BOOST_AUTO_TEST_CASE(a_host_that_is_lost_meanwhile_ends_the_start) {
  auto s = given_launching();
  BOOST_TEST(s.when(model::sister_left{{"n2", {}, 1}}) == "sisterFailed refused");
  BOOST_TEST(s.run.exit_status == -3);
  BOOST_TEST(s.run.text == "job_start_error 15059 from node n2 could not IM_EXEC_PROLOGUE successfully");
}

// RS-55 to RS-57
BOOST_AUTO_TEST_CASE(hooks_are_waited_for_as_long_as_the_delay_says) {
  auto s = given_launching("all");
  BOOST_TEST(s.rings(model::run_timer::join_alarm) == "");
  s.when(model::prologue_over{"n3", 0, {}});
  BOOST_TEST(s.rings(model::run_timer::launch_delay) == "launchWaitEnded sisterFailed programStarting");
  BOOST_TEST((s.run.sister("n2")->phase == model::sister_phase::failed));
  BOOST_TEST(s.rings(model::run_timer::launch_delay) == "");
  auto none = given_launching();
  BOOST_TEST(none.rings(model::run_timer::launch_delay) == "launchWaitEnded sisterFailed sisterFailed refused");
  BOOST_TEST(none.run.text == "job_start_error 15059 from node n2 could not IM_EXEC_PROLOGUE successfully");
}

// RS-15, RS-130: nothing has started.
BOOST_AUTO_TEST_CASE(a_job_that_is_killed_meanwhile_is_refused_at_once) {
  auto s = given_launching("all");
  BOOST_TEST(s.when(kill(1)) == "refused");
  BOOST_TEST(owed(s.run) == "say-steps, release n2, release n3");
  BOOST_TEST(s.when(model::prologue_over{"n2", 0, {}}) == "");
}

// RS-02 to RS-05, RS-28, RS-29: they were asked before the program, and nobody has it yet.
BOOST_AUTO_TEST_CASE(hosts_that_are_not_there_before_the_program_have_failed) {
  const model::sisters_absent both{{"n2", "n3", "n9"}, "the host did not answer"}, one{{"n3"}, "the host did not answer"};
  for (const char* value : {"none", "job_start", "all"}) {
    const bool bears = value != std::string("none");
    run_story s;
    s.when(model::take_order{order({{"tolerate_node_failures", "", value}}, {"n2", "n3"})});
    BOOST_TEST(s.when(both) == "", value);  // they were not asked: nobody has joined
    s.when(model::sister_joined{"n2"});
    s.when(model::sister_joined{"n3"});
    s.when(model::joins_over{false});
    BOOST_TEST(s.when(one) == (bears ? "sisterFailed" : "sisterFailed refused"), value);
    BOOST_TEST((s.run.sister("n3")->phase == model::sister_phase::failed), value);
    BOOST_TEST(s.when(one) == "", value);
    if (bears) BOOST_TEST(s.when(both) == "sisterFailed", value);  // n2 as well, and n3 not once more
    else BOOST_TEST(s.run.text == "job_start_error 15059 from node n3 could not JOIN_JOB successfully: the host did not answer");
    BOOST_TEST(s.run.exit_status == (bears ? 0 : -3), value);
    auto launching = given_launching(value);
    launching.when(model::prologue_over{"n2", 0, {}});
    BOOST_TEST(launching.when(one) == (bears ? "sisterFailed programStarting" : "sisterFailed refused"), value);
  }
  auto started = given_all_started();
  BOOST_TEST(started.when(both) == "");
}

// RS-124
BOOST_AUTO_TEST_CASE(hooks_of_this_host_are_not_borne) {
  auto s = given_launching("all");
  BOOST_TEST(s.when(model::hooks_done{{}, ports::start_failed{-16, "a hook says no"}}) == "refused");
}

BOOST_AUTO_TEST_SUITE_END()
