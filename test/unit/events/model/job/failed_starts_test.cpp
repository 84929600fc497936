// A job whose start fails rests, twice as long each time, and says until when and why.
#include <boost/test/unit_test.hpp>

#include "events/model/exit_codes.hpp"
#include "events/model/job/failed_starts.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
namespace ids = attributes::job;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

std::int64_t rest_s(const job_story& story) { return story.job.rests_until_ns / second_ns - story.now_s; }

// As qrun asks for it.
model::proposed_run by_hand() {
  return {propose().message, "", true};
}

std::string fail(job_story& story, std::int32_t code = model::exit_hook_rejected) {
  story.when(propose(), the_scheduler());
  return story.refuses(code, 0, "hook h: no scratch directory");
}

struct array_story : job_story {
  array_story() { when(submission(12, {{"array_indices_submitted", "", "1-9"}})); }
  std::string begins(std::uint32_t index) { return when(propose_subjob(index), the_scheduler()); }
  std::string left(std::uint32_t index, bool not_started, std::uint32_t run = 1) {
    return when(model::subjob_told{.index = index,
                                   .run = run,
                                   .requeued = not_started,
                                   .not_started = not_started,
                                   .comment = not_started ? "Subjob 1 requeued, not started on borg: hook h: no" : ""},
                the_server());
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(failed_starts)

BOOST_AUTO_TEST_CASE(the_pause_doubles_up_to_a_minute_and_no_scheduler_starts_it_before) {
  auto story = given(model::job_phase::queued);
  for (const std::int64_t pause : {1, 2, 4, 8, 16, 32, 60, 60}) {
    BOOST_TEST(fail(story) == "startFailed vnodesReleased requeued");
    BOOST_TEST(rest_s(story) == pause);
    story.later(pause - 1);
    const auto early = story.ask(propose(), the_scheduler());
    BOOST_TEST_REQUIRE(!early.accepted());
    BOOST_TEST(early.why().text.starts_with("Its start has failed; not tried again before "), early.why().text);
    story.later(1);
    BOOST_TEST(story.ask(propose(), the_scheduler()).accepted());
  }
}

BOOST_AUTO_TEST_CASE(the_comment_says_where_why_and_until_when) {
  auto story = given(model::job_phase::queued);
  fail(story);
  BOOST_TEST(story.comment() == "Job requeued, not started on borg: hook h: no scratch directory; not tried again before " +
                                    values::print_log_date(story.now_s + 1));
  // It runs in that second, and its log line says so too.
  BOOST_TEST(model::words_of_rest(story.now_s * second_ns + second_ns / 2) ==
             "; not tried again before " + values::print_log_date(story.now_s));
}

BOOST_AUTO_TEST_CASE(an_operator_may_run_it_at_once) {
  auto story = given(model::job_phase::queued);
  fail(story);
  BOOST_TEST(story.when(by_hand(), operator_()) == "assigned");
  BOOST_TEST(story.job.rests_until_ns == 0);
  story.refuses(model::exit_hook_rejected);
  BOOST_TEST(rest_s(story) == 2);
}

BOOST_AUTO_TEST_CASE(a_job_that_ran_begins_with_a_short_pause_again) {
  auto story = given(model::job_phase::queued);
  fail(story);
  fail(story.later(1));
  BOOST_TEST(rest_s(story) == 2);
  story.later(2).when(propose(), the_scheduler());
  story.starts();
  story.exits(model::exit_host_lost);
  story.leaves();
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(story.job.rests_until_ns == 0);  // its start has not failed
  fail(story);
  BOOST_TEST(rest_s(story) == 1);
}

BOOST_AUTO_TEST_CASE(a_hook_that_wants_another_start_each_time_gets_it_after_the_pause) {
  auto story = given(model::job_phase::queued);
  for (const std::int64_t pause : {1, 2, 4}) {
    BOOST_TEST(fail(story, model::exit_hook_wants_rerun) == "startFailed vnodesReleased requeued");
    BOOST_TEST(rest_s(story) == pause);
    story.later(pause);
  }
}

BOOST_AUTO_TEST_CASE(one_that_is_rerun_or_held_does_not_rest) {
  auto rerun = given(model::job_phase::assigned);
  rerun.when(model::client_request{make_request([](auto r) { r.initRerunJob(); })}, operator_());
  rerun.refuses(-3);
  BOOST_TEST(rerun.job.rests_until_ns == 0);
  auto held = given(model::job_phase::queued, {{"run_count", "", "20"}});
  fail(held);
  BOOST_TEST(held.state() == "H 20");
  BOOST_TEST(held.job.rests_until_ns == 0);
}

BOOST_AUTO_TEST_CASE(an_array_rests_as_a_whole_and_what_fails_together_counts_once) {
  array_story story;
  for (const std::uint32_t index : {1, 2, 3}) BOOST_TEST(story.begins(index) == "subjobBegan");
  const auto began = story.comment();
  story.left(1, true);
  BOOST_TEST(rest_s(story) == 1);
  BOOST_TEST(story.comment() == "Subjob 1 requeued, not started on borg: hook h: no; not tried again before " +
                                    values::print_log_date(story.now_s + 1));
  story.left(2, true);
  BOOST_TEST(rest_s(story) == 1);
  BOOST_TEST(!story.ask(propose_subjob(4), the_scheduler()).accepted());
  story.later(1);
  BOOST_TEST(story.begins(4) == "subjobBegan");
  BOOST_TEST(story.comment() == began);
  story.left(4, true);
  BOOST_TEST(rest_s(story) == 2);
  story.later(2);
  BOOST_TEST(story.begins(1) == "subjobBegan");
  story.left(3, false);  // one of it has run
  story.left(1, true, 2);
  BOOST_TEST(rest_s(story) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
