// Jobs that wait for others: docs/design/0054-dependencies.md; pbs guide, qsub, "depend".
#include <boost/test/unit_test.hpp>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
using told = model::dependency_told;
namespace ids = attributes::job;

namespace {

job_story depending(const char* depend, const char* holds = "n") {
  job_story story;
  story.when(submission(12, {{"depend", "", depend}, {"Hold_Types", "", holds}}));
  return story;
}
std::string hears(job_story& story, told::what is, const char* entry) {
  return story.when(told{is, values::parse_dependencies(entry)->front()}, the_server());
}
std::string shown(const job_story& story) { return model::shown_depend(story.job); }

}  // namespace

BOOST_AUTO_TEST_SUITE(job_dependencies)

BOOST_AUTO_TEST_CASE(a_job_that_waits_for_others_is_held) {
  const auto story = depending("afterok:3:4.borg,afterany:5");
  BOOST_TEST(story.state() == "H 22");
  BOOST_TEST(story.attribute(ids::Hold_Types) == "s");
  BOOST_TEST(shown(story) == "afterok:3.borg@borg:4.borg@borg,afterany:5.borg@borg");
}

BOOST_AUTO_TEST_CASE(one_that_others_wait_for_is_not) {
  const auto story = depending("before:3");
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(shown(story) == "before:3.borg@borg");
}

BOOST_AUTO_TEST_CASE(what_is_refused_at_submission) {
  job_story story;
  const auto refused = [&](const char* depend) { return said(story.ask(submission(12, {{"depend", "", depend}}))); };
  BOOST_TEST(refused("on:0") == "15014 Illegal attribute or resource value depend");
  BOOST_TEST(refused("afterok:3@nohost") == "15008 Access from host not allowed, or unknown host");
  BOOST_TEST(refused("afterok:3.other") == "15008 Access from host not allowed, or unknown host");
}

BOOST_AUTO_TEST_CASE(it_is_released_when_the_last_one_is_met) {
  auto story = depending("afterok:3:4", "u");
  BOOST_TEST(hears(story, told::what::met, "afterok:3.borg@borg") == "altered");
  BOOST_TEST(story.state() == "H 22");
  BOOST_TEST(shown(story) == "afterok:4.borg@borg");
  BOOST_TEST(hears(story, told::what::met, "afterok:3.borg@borg") == "");
  BOOST_TEST(hears(story, told::what::met, "afterok:4.borg@borg") == "altered");
  BOOST_TEST(story.state() == "H 20");
  BOOST_TEST(story.attribute(ids::Hold_Types) == "u");
  BOOST_TEST(shown(story) == "");
  BOOST_TEST(story.when(release({HoldType::USER})) == "released");
  BOOST_TEST(story.state() == "Q 10");
}

BOOST_AUTO_TEST_CASE(it_is_deleted_when_one_can_not_be_met) {
  for (const auto is : {told::what::failed, told::what::unknown}) {
    auto story = depending("afterok:3");
    BOOST_TEST(hears(story, is, "afterok:4.borg@borg") == "");
    BOOST_TEST(hears(story, is, "afterok:3.borg@borg") == "ended");
    BOOST_TEST(story.state() == "F 92");
    BOOST_TEST(shown(story) == "afterok:3.borg@borg");
    BOOST_TEST(story.attribute(ids::Hold_Types) == "s");
    BOOST_TEST(!story.job.attributes.has(ids::Exit_status));
    const auto reason = schema::str(story.history.back().second.get().getJob().getEnded().getReason());
    BOOST_TEST(reason == (is == told::what::failed ? "Job deleted as result of dependency on job 3.borg"
                                                   : "Dependency request for job rejected by 3.borg"));
  }
}

BOOST_AUTO_TEST_CASE(without_a_history_it_is_forgotten_then) {
  auto story = depending("afterok:3");
  story.settings.server.set(attributes::server::job_history_enable, "False");
  BOOST_TEST(hears(story, told::what::failed, "afterok:3.borg@borg") == "ended forgotten");
}

BOOST_AUTO_TEST_CASE(a_manager_may_let_it_go_on) {
  auto story = depending("afterok:3");
  BOOST_TEST(story.when(release({HoldType::SYSTEM})) == "15007 Unauthorized Request ");
  BOOST_TEST(story.when(release({HoldType::SYSTEM}), manager()) == "released");
  BOOST_TEST(story.state() == "Q 10");
  story.when(propose(), the_scheduler());
  BOOST_TEST(hears(story, told::what::failed, "afterok:3.borg@borg") == "");
  BOOST_TEST(story.state() == "R 41");
  BOOST_TEST(shown(story) == "afterok:3.borg@borg");
}

BOOST_AUTO_TEST_CASE(who_waits_for_it_is_shown_whatever_becomes_of_it) {
  auto story = given(job_phase::started);
  BOOST_TEST(hears(story, told::what::dependent, "beforeok:13.borg@borg") == "altered");
  BOOST_TEST(hears(story, told::what::dependent, "beforeok:13.borg@borg") == "altered");  // shown once
  BOOST_TEST(hears(story, told::what::dependent, "beforeany:14.borg@borg") == "altered");
  story.exits(0);
  story.leaves();
  BOOST_TEST(story.state() == "F 92");
  BOOST_TEST(shown(story) == "beforeok:13.borg@borg,beforeany:14.borg@borg");
  BOOST_TEST(hears(story, told::what::dependent, "before:15.borg@borg") == "");
}

BOOST_AUTO_TEST_CASE(those_that_come_before_it_take_its_counts) {
  auto story = depending("on:2");
  BOOST_TEST(story.state() == "H 22");
  BOOST_TEST(hears(story, told::what::counted, "afterok:13.borg@borg") == "altered");
  BOOST_TEST(shown(story) == "on:1,afterok:13.borg@borg");
  BOOST_TEST(hears(story, told::what::counted, "afterok:13.borg@borg") == "");
  BOOST_TEST(hears(story, told::what::counted, "after:14.borg@borg") == "altered");
  BOOST_TEST(shown(story) == "afterok:13.borg@borg,after:14.borg@borg");
  BOOST_TEST(hears(story, told::what::counted, "after:15.borg@borg") == "");
  hears(story, told::what::met, "afterok:13.borg@borg");
  hears(story, told::what::met, "after:14.borg@borg");
  BOOST_TEST(story.state() == "Q 10");
  auto plain = given(job_phase::queued);
  BOOST_TEST(hears(plain, told::what::counted, "afterok:13.borg@borg") == "");
}

BOOST_AUTO_TEST_CASE(of_a_set_one_runs) {
  auto story = depending("runone:3");
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(hears(story, told::what::dependent, "runone:4.borg@borg") == "altered");
  BOOST_TEST(hears(story, told::what::dependent, "runone:4.borg@borg") == "");
  BOOST_TEST(shown(story) == "runone:3.borg@borg:4.borg@borg");
  BOOST_TEST(hears(story, told::what::held, "runone:4.borg@borg") == "held");
  BOOST_TEST(story.state() == "H 20");
  BOOST_TEST(hears(story, told::what::held, "runone:4.borg@borg") == "");
  BOOST_TEST(hears(story, told::what::freed, "runone:4.borg@borg") == "released");
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(hears(story, told::what::met, "runone:3.borg@borg") == "altered");
  BOOST_TEST(shown(story) == "runone:4.borg@borg");
  BOOST_TEST(hears(story, told::what::failed, "runone:4.borg@borg") == "ended");
  BOOST_TEST(story.state() == "F 92");
  auto waits = depending("runone:3,afterok:5");
  BOOST_TEST(hears(waits, told::what::freed, "runone:3.borg@borg") == "");
  BOOST_TEST(waits.state() == "H 22");
}

BOOST_AUTO_TEST_CASE(qalter_gives_it_other_jobs_to_wait_for) {
  auto story = given(job_phase::queued);
  BOOST_TEST(story.when(alter({{"depend", "", "afterok:3"}})) == "altered");
  BOOST_TEST(story.state() == "H 22");
  hears(story, told::what::dependent, "beforeok:13.borg@borg");
  BOOST_TEST(story.when(alter({{"depend", "", "afterany:4"}})) == "altered");
  BOOST_TEST(shown(story) == "afterany:4.borg@borg,beforeok:13.borg@borg");
  BOOST_TEST(story.when(alter({{"depend", "", "before:4"}})) == "altered");
  BOOST_TEST(story.state() == "Q 10");
  auto running = given(job_phase::started);
  BOOST_TEST(running.when(alter({{"depend", "", "afterok:3"}})).starts_with("15015 "));
}

BOOST_AUTO_TEST_SUITE_END()
