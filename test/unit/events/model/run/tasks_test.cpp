// Tasks of a run, as its primary counts them.
#include <boost/test/unit_test.hpp>

#include "test/unit/events/model/run/run_story.hpp"

using namespace annals;
using namespace annals::test;

BOOST_AUTO_TEST_SUITE(runs)

BOOST_AUTO_TEST_CASE(a_task_on_a_sister_is_numbered_asked_for_and_settled) {
  auto s = given_all_started();
  const auto asked = s.ask(model::ask_task{"n2", "n1", 1, {"/bin/date"}, {"A=b"}});
  BOOST_TEST(asked.reply == "2");
  BOOST_TEST(s.when(model::ask_task{"n2", "n1", 1, {"/bin/date"}, {"A=b"}}) == "taskAsked");
  BOOST_TEST(s.ask(model::ask_task{"n3", "n1", 2, {"x"}, {}}).reply == "3");
  BOOST_TEST(owed(s.run).ends_with("spawn 2"));
  BOOST_TEST(s.when(model::task_told{2, "n3", model::task_told::state::running, 0, {}}) == "");  // not its host
  BOOST_TEST(s.when(model::task_told{2, "n2", model::task_told::state::running, 0, {}}) == "taskSettled");
  BOOST_TEST(s.when(model::task_told{2, "n2", model::task_told::state::running, 0, {}}) == "");
  BOOST_TEST(!owed(s.run).ends_with("spawn 2"));
  BOOST_TEST(s.when(model::task_told{2, "n2", model::task_told::state::ended, 7, {}}) == "taskSettled");
  BOOST_TEST(s.when(model::task_told{2, "n2", model::task_told::state::ended, 7, {}}) == "");
  BOOST_TEST(s.run.tasks.at(2).exit_status == 7);
}

BOOST_AUTO_TEST_CASE(the_server_hears_on_which_host_the_kernel_killed_processes_of_a_task) {
  using state = model::task_told::state;
  auto s = given_all_started();
  const auto before = s.run.steps.size();
  for (int i = 0; i < 4; ++i) s.when(model::ask_task{"n2", "n1", 1, {"x"}, {}});
  s.when(model::task_told{5, "n2", state::ended, 1, {}});
  BOOST_TEST(s.run.steps.size() == before);
  s.when(model::task_told{2, "n2", state::ended, 137, "Cgroup mem limit exceeded"});
  BOOST_REQUIRE(s.run.steps.size() == before + 1);
  BOOST_TEST(schema::text(s.run.steps.back().get().getStep().getTaskSettled().getText()) == "n2: Cgroup mem limit exceeded");
  s.when(model::task_told{3, "n2", state::ended, 137, "Cgroup mem limit exceeded"});  // the first says enough
  s.when(model::task_told{4, "n2", state::not_started, -2, "no home"});
  BOOST_TEST(s.run.steps.size() == before + 1);  // who asked for them is told, nobody else
  BOOST_TEST(s.run.tasks.at(4).text == "no home");
}

BOOST_AUTO_TEST_CASE(a_task_needs_a_host_of_the_run_and_a_running_program) {
  auto s = given_all_started();
  BOOST_TEST(!s.ask(model::ask_task{"n9", "n1", 1, {"x"}, {}}).accepted());
  BOOST_TEST(!given_asked().ask(model::ask_task{"n2", "n1", 1, {"x"}, {}}).accepted());
  BOOST_TEST(!given_all_ended().ask(model::ask_task{"n2", "n1", 1, {"x"}, {}}).accepted());
}

BOOST_AUTO_TEST_CASE(the_primary_has_a_part_too_from_its_first_task_on) {
  auto s = given_run(run_phase::started);
  BOOST_TEST(s.when(model::ask_task{"n1", "n1", 0, {"x"}, {}}) == "sistersAsked taskAsked");
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, ask n1");
  BOOST_TEST(s.when(model::sister_joined{"n1"}) == "sisterJoined");
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n1, spawn 2");
  BOOST_TEST(s.when(model::ask_task{"n1", "n1", 0, {"y"}, {}}) == "taskAsked");
  s.when(model::program_over{{0, {.cpu_seconds = 1}}});
  BOOST_TEST(owed(s.run) == "say-steps, release n1");
  s.when(model::sister_left{{"n1", model::measured_usage({.cpu_seconds = 5}), 1}});
  const auto hosts = s.run.usage_by_host({"n1", s.run.usage, 1}, {});
  BOOST_REQUIRE(hosts.size() == 1u);
  BOOST_TEST(hosts.front().usage.seconds("cput") == 6u);
}

BOOST_AUTO_TEST_SUITE_END()
