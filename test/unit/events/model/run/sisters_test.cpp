// A run and the hosts that join it: who is waited for, who is lost, when the job is gone everywhere.
#include <boost/test/unit_test.hpp>

#include "test/unit/events/model/run/run_story.hpp"

using namespace annals;
using namespace annals::test;

BOOST_AUTO_TEST_SUITE(runs)

BOOST_AUTO_TEST_CASE(the_program_starts_when_every_sister_has_joined) {
  run_story s;
  BOOST_TEST(s.when(model::take_order{order({}, {"n2", "n3"})}) == "received sistersAsked");
  BOOST_TEST(owed(s.run) == "say-steps, ask n2, ask n3");
  BOOST_TEST(s.when(model::sister_joined{"n3"}) == "sisterJoined");
  BOOST_TEST(s.when(model::sister_joined{"n3"}) == "");
  BOOST_TEST(owed(s.run) == "say-steps, ask n2, keep n3");
  BOOST_TEST(s.when(model::joins_over{false}) == "");
  BOOST_TEST(s.when(model::sister_joined{"n2"}) == "sisterJoined");
  BOOST_TEST(owed(s.run) == "say-steps, launch, keep n2, keep n3");
  BOOST_TEST(s.when(model::joins_over{false}) == "programStarting");
  BOOST_TEST(owed(s.run) == "say-steps, start, keep n2, keep n3");
  BOOST_TEST(s.run.steps.size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_sister_that_refuses_or_is_silent_has_the_job_queued_again) {  // RS-02, RS-14
  auto refused = given_asked();
  refused.when(model::sister_joined{"n3"});
  BOOST_TEST(refused.when(model::sister_refused{"n2", 15058, "no such user"}) == "sisterFailed sisterLeft refused");
  BOOST_TEST(refused.run.exit_status == -3);
  BOOST_TEST(refused.run.text == "job_start_error 15058 from node n2 could not JOIN_JOB successfully: no such user");
  BOOST_TEST(owed(refused.run) == "say-steps, release n3");
  BOOST_TEST(refused.when(model::sister_left{{"n3", {}, 1}}) == "sisterLeft");
  BOOST_TEST(owed(refused.run) == "say-steps, say-refused");
  BOOST_TEST(refused.when(model::acknowledged{schema::Ack::What::RUN_REFUSED}) == "left");

  auto silent = given_asked();
  BOOST_TEST(silent.loses({"n2", {}, 0}) == "sisterFailed refused");
  BOOST_TEST(owed(silent.run) == "say-steps, release n2, release n3");
  BOOST_TEST(silent.loses({"n2", {}, 0}) == "sisterLeft");
  BOOST_TEST(silent.when(model::sister_left{{"n3", {}, 1}}) == "sisterLeft");
  BOOST_TEST(silent.run.abandoned_hosts() == std::vector<std::string>{"n2"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_a_sisters_hook_wants_of_the_job_is_done) {
  const std::pair<int, int> codes[] = {{15169, -16}, {15136, -16}, {15170, -18}, {15171, -19}, {-10, -3}};
  for (const auto& [refusal, exit_status] : codes) {
    auto s = given_asked();
    s.when(model::sister_refused{"n2", refusal, "no"});
    BOOST_TEST(s.run.exit_status == exit_status);
  }
}

BOOST_AUTO_TEST_CASE(the_wait_for_sisters_ends) {  // RS-14, RS-45
  auto s = given_asked();
  s.when(model::sister_joined{"n2"});
  BOOST_TEST(s.rings(model::run_timer::join_alarm) == "joinWaitEnded sisterFailed refused");
  BOOST_TEST(s.run.text == "job_start_error 15059 from node n3 could not JOIN_JOB successfully");
  auto late = given_joined();
  BOOST_TEST(late.rings(model::run_timer::join_alarm) == "");
}

BOOST_AUTO_TEST_CASE(a_run_killed_before_its_program_started_is_refused_and_its_sisters_leave) {  // RS-15
  auto s = given_asked();
  BOOST_TEST(s.when(kill(1)) == "refused");
  BOOST_TEST(s.run.exit_status == 271);
  BOOST_TEST(owed(s.run) == "say-steps, release n2, release n3");
  BOOST_TEST(s.when(model::sister_joined{"n2"}) == "");
}

BOOST_AUTO_TEST_CASE(what_sisters_have_told_of_their_use_is_kept_for_a_later_life_of_the_primary) {  // RU-08, RU-10
  auto s = given_all_started();
  const model::host_usage told{"n2", model::measured_usage({.cpu_seconds = 7, .mem_kb = 70}), 5};
  BOOST_TEST(s.when(model::sisters_used{{told, {"n9", model::measured_usage({.cpu_seconds = 1}), 5}}}) == "sistersUsed");
  BOOST_TEST(s.when(model::sisters_used{{told}}) == "");
  BOOST_TEST((s.run.sister("n2")->usage == told));
  BOOST_TEST((s.run.sister("n3")->usage == model::host_usage{}));
  const auto steps = s.run.steps.size();
  BOOST_TEST(s.when(model::sisters_used{{{"n2", model::measured_usage({.cpu_seconds = 8, .mem_kb = 70}), 6}}}) == "sistersUsed");
  BOOST_TEST(s.run.steps.size() == steps);  // the server hears of it otherwise
  s.when(model::program_over{{0, {.cpu_seconds = 1}}});
  BOOST_TEST(s.loses(s.run.sister("n2")->usage) == "sisterLeft");
  BOOST_TEST(model::job_total(s.run.usage_by_host({"n1", s.run.usage, 8}, {}), {}).seconds("cput") == 9u);
  for (auto other : {run_phase::received, run_phase::ended, run_phase::left})
    BOOST_TEST(given_run(other).when(model::sisters_used{{told}}) == "");
}

BOOST_AUTO_TEST_CASE(a_sister_lost_while_the_program_runs_ends_the_run) {
  auto s = given_all_started();
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n2, keep n3");
  BOOST_TEST(s.loses({"n2", {}, 0}) == "sisterFailed killRequested");
  BOOST_TEST(s.loses({"n2", {}, 0}) == "");
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n3, kill SIGKILL");
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.run.exit_status == -4);
  BOOST_TEST(owed(s.run) == "say-steps, release n2, release n3");
}

BOOST_AUTO_TEST_CASE(a_lost_sister_does_not_change_how_a_job_ends_that_was_deleted_before) {
  auto s = given_all_started();
  s.when(kill(1));
  BOOST_TEST(s.loses({"n2", {}, 0}) == "sisterFailed killRequested");
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n3, kill SIGKILL");
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.run.exit_status == 271);
}

BOOST_AUTO_TEST_CASE(the_end_is_told_when_the_job_is_gone_from_every_host) {  // RU-02
  auto s = given_all_ended();
  BOOST_TEST(owed(s.run) == "say-steps, release n2, release n3");
  BOOST_TEST(
      s.when(model::sister_left{
          {"n2", model::measured_usage({.cpu_seconds = 10, .mem_kb = 20, .vmem_kb = 30, .wall_seconds = 999, .ncpus = 9, .cpu_percent = 1}),
           5}}) == "sisterLeft");
  BOOST_TEST(s.when(model::sister_left{{"n2", {}, 6}}) == "");
  BOOST_TEST(owed(s.run) == "say-steps, release n3");
  BOOST_TEST(s.loses({"n3", model::measured_usage({.cpu_seconds = 100}), 7}) == "sisterLeft");
  BOOST_TEST(owed(s.run) == "say-steps, say-exited, place");
  const auto hosts = s.run.usage_by_host({"n1", s.run.usage, 8}, {});
  BOOST_TEST(hosts.size() == 3u);
  BOOST_TEST((model::job_total(hosts, {}) == model::measured_usage({111, 22, 33, 4, 3, 7})));
}

BOOST_AUTO_TEST_CASE(a_discarded_run_waits_for_its_sisters_before_it_is_gone) {
  auto s = given_all_started();
  s.when(discard());
  BOOST_TEST(s.when(model::program_over{{9, {}}}) == "programEnded");
  BOOST_TEST(owed(s.run) == "release n2, release n3");
  s.when(model::sister_left{{"n2", {}, 1}});
  BOOST_TEST(s.when(model::sister_left{{"n3", {}, 1}}) == "sisterLeft left");
  auto asked = given_asked();
  BOOST_TEST(asked.when(discard()) == "discarded refused");
  asked.loses({"n2", {}, 1});
  BOOST_TEST(asked.loses({"n3", {}, 1}) == "sisterLeft left");
}

BOOST_AUTO_TEST_CASE(no_words_of_sisters_lead_to_an_event_that_the_phase_does_not_list) {
  auto commands = every_word_of_a_sister();
  for (auto& c : every_command()) commands.push_back(c);
  const std::vector<run_story> stories = {given_asked(), given_joined(), given_all_starting(),
                                          given_all_started(), given_all_ended(), given_all_placed()};
  for (const auto& given : stories)
    for (const auto& first : commands)
      for (const auto& second : commands)
        for (const auto& third : every_word_of_a_sister()) {
          auto story = given;
          for (const auto* command : {&first, &second, &third}) {
            const auto o = story.ask(*command);
            for (const auto& e : o.events()) {
              BOOST_REQUIRE_MESSAGE(model::may_happen(story.run.phase, e.get().getRun().which()),
                                    schema::event_name(e.get())
                                        << " in phase " << static_cast<int>(story.run.phase) << " after command " << command->index());
              story.happens(e);
            }
          }
        }
}

BOOST_AUTO_TEST_SUITE_END()
