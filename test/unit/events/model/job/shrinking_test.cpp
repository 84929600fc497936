// Shrink-to-fit: what a run's walltime is, until when, and what may be altered meanwhile. The scenes are those of the transcript Y9.
#include <boost/test/unit_test.hpp>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
namespace ids = attributes::job;

namespace {

const given_values five_minutes_to_five_hours{{"Resource_List", "min_walltime", "5:00"}, {"Resource_List", "max_walltime", "5:00:00"}};

model::proposed_run propose_for(std::uint64_t seconds) {
  auto proposed = propose();
  const auto before = proposed.message.get().getRun();
  proposed.message = schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
    m.setRun(before);
    m.getRun().setWalltimeSeconds(seconds);
  });
  return proposed;
}

std::string walltime(const job_story& story) { return story.attribute(ids::Resource_List, "walltime"); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_has_the_walltime_that_was_proposed_until_it_is_over) {
  auto story = given(job_phase::queued, five_minutes_to_five_hours);
  BOOST_TEST(story.when(propose_for(899), the_scheduler()) == "assigned");
  BOOST_TEST(walltime(story) == "00:14:59");
  story.starts();
  story.when(rerun(), manager());
  story.exits(-11);
  BOOST_TEST(walltime(story) == "00:14:59");
  story.leaves();
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(walltime(story) == "");
  BOOST_TEST(story.when(propose_for(18000), the_scheduler()) == "assigned");
  BOOST_TEST(walltime(story) == "05:00:00");
  story.starts();
  story.exits(0);
  story.leaves();
  BOOST_TEST(walltime(story) == "05:00:00");
}

BOOST_AUTO_TEST_CASE(what_it_asked_for_itself_comes_back) {
  auto story = given(job_phase::queued, {{"Resource_List", "min_walltime", "5:00"}, {"Resource_List", "walltime", "20:00"}});
  BOOST_TEST(story.when(propose_for(1201), the_scheduler()) ==
             "15157 Cannot run job which was altered/moved during current scheduling cycle.");
  BOOST_TEST(story.when(propose_for(600), the_scheduler()) == "assigned");
  BOOST_TEST(walltime(story) == "00:10:00");
  story.refuses(-3);
  BOOST_TEST(walltime(story) == "00:20:00");
}

BOOST_AUTO_TEST_CASE(no_other_walltime_is_taken) {
  auto story = given(job_phase::queued, five_minutes_to_five_hours);
  for (const std::uint64_t seconds : {std::uint64_t{1}, std::uint64_t{299}, std::uint64_t{18001}, UINT64_MAX})
    BOOST_TEST(story.when(propose_for(seconds), the_scheduler()).starts_with("15157 "));
  auto plain = given(job_phase::queued, {{"Resource_List", "walltime", "20:00"}});
  BOOST_TEST(plain.when(propose_for(600), the_scheduler()).starts_with("15157 "));
  BOOST_TEST(plain.when(propose(), the_scheduler()) == "assigned");
  BOOST_TEST(walltime(plain) == "00:20:00");
}

BOOST_AUTO_TEST_CASE(a_run_that_nobody_shrunk_has_the_longest_that_was_named) {
  auto story = given(job_phase::queued, five_minutes_to_five_hours);
  story.when(propose(), the_scheduler());
  BOOST_TEST(walltime(story) == "05:00:00");
  auto open = given(job_phase::queued, {{"Resource_List", "min_walltime", "5:00"}});
  open.when(propose(), the_scheduler());
  BOOST_TEST(walltime(open) == "");
}

BOOST_AUTO_TEST_CASE(a_walltime_that_was_altered_meanwhile_stays) {
  auto story = given(job_phase::queued, five_minutes_to_five_hours);
  story.when(propose_for(899), the_scheduler());
  story.starts();
  BOOST_TEST(story.when(alter({{"Resource_List", "walltime", "12:00"}})) == "altered");
  BOOST_TEST(walltime(story) == "00:12:00");
  story.when(rerun(), manager());
  story.exits(-11);
  story.leaves();
  BOOST_TEST(walltime(story) == "00:12:00");
}

BOOST_AUTO_TEST_CASE(what_does_not_go_together_is_refused_while_it_runs_too) {
  auto story = given(job_phase::queued, five_minutes_to_five_hours);
  story.when(propose_for(899), the_scheduler());
  BOOST_TEST(story.when(alter({{"Resource_List", "max_walltime", "1:00"}})) ==
             "15163 \"min_walltime\" can not be greater than \"max_walltime\"");
  BOOST_TEST(story.when(alter({{"Resource_List", "min_walltime", "1:00"}})) == "altered");
  BOOST_TEST(story.when(alter({{"Resource_List", "soft_walltime", "7"}}), manager()) ==
             "15180 soft_walltime is not supported with Shrink to Fit jobs");
  BOOST_TEST(story.when(alter({{"Resource_List", "min_walltime", "", schema::AttributeOp::UNSET}})) ==
             "15162 Cannot have \"max_walltime\" without \"min_walltime\"");
  auto plain = given(job_phase::queued, {{"Resource_List", "walltime", "20:00"}});
  BOOST_TEST(plain.when(alter({{"Resource_List", "max_walltime", "0"}})) == "15162 Cannot have \"max_walltime\" without \"min_walltime\"");
  BOOST_TEST(plain.when(alter({{"Resource_List", "min_walltime", "1:00"}})) == "altered");
}

BOOST_AUTO_TEST_CASE(limits_of_walltime_hold_for_what_may_become_it) {
  for (const auto phase : {job_phase::queued, job_phase::started}) {
    auto story = given(phase);
    story.settings.queues["workq"].attributes.set(attributes::queue::resources_max, "walltime", "06:00:00");
    const auto range = [&](const std::string& max) {
      return story.when(alter({{"Resource_List", "min_walltime", "5:00"}, {"Resource_List", "max_walltime", max}}));
    };
    BOOST_TEST(range("7:00:00").starts_with("15036 "));
    BOOST_TEST(range("6:00:00") == "altered");
  }
}
