// What is done with a job by hand: signals and messages.
#include <boost/test/unit_test.hpp>

#include "events/model/limits.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
namespace ids = attributes::job;

namespace {

constexpr const char *unauthorized = "15007 Unauthorized Request ", *bad_state = "15016 Request invalid for state of job",
                     *finished = "15139 Job has finished";

// What the job's host is told, by text: "2 USR1".
std::string owed(const job_story& story) {
  std::string text;
  for (const auto& debt : model::pending_effects(story.job, story.site))
    if (const auto* told = std::get_if<model::tell_run>(&debt))
      text += (text.empty() ? "" : ", ") + std::to_string(told->wish.id) + " " + told->wish.text;
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_signal_is_owed_to_the_host_until_it_is_carried_out) {
  auto story = given(job_phase::started);
  BOOST_TEST(story.when(signal("USR1")) == "jobSignalled");
  BOOST_TEST(story.when(signal("USR1")) == "jobSignalled");     // twice is twice
  BOOST_TEST(owed(story) == "1 USR1, 2 USR1");
  BOOST_TEST(story.obeys(1) == "jobWishDone");
  BOOST_TEST(story.obeys(1) == "");
  BOOST_TEST(owed(story) == "2 USR1");
  BOOST_TEST(story.obeys(7) == "");                             // never asked
  BOOST_TEST(story.obeys(2, story.job.run + 1) == "");          // of another run
  story.exits(0);
  BOOST_TEST(owed(story) == "");
}

BOOST_AUTO_TEST_CASE(only_running_jobs_are_signalled_and_only_by_those_who_may) {
  for (auto phase : {job_phase::queued, job_phase::held, job_phase::waiting, job_phase::exiting}) {
    BOOST_TEST(said(given(phase).ask(signal("TERM"))) == bad_state);
    BOOST_TEST(said(given(phase).ask(message("hello"))) == bad_state);
  }
  BOOST_TEST(said(given(job_phase::finished).ask(signal("TERM"))) == finished);
  BOOST_TEST(said(given(job_phase::finished).ask(message("hello"), user("other"))) == finished);
  const auto story = given(job_phase::started);
  BOOST_TEST(said(story.ask(signal("TERM"), user("other"))) == unauthorized);
  BOOST_TEST(said(story.ask(message("hello"), user("other"))) == unauthorized);
  BOOST_TEST(said(story.ask(signal("NOSUCH"), operator_())) == "jobSignalled");   // the host knows its signals
}

BOOST_AUTO_TEST_CASE(a_run_that_begins_anew_is_told_nothing_old) {
  auto story = given(job_phase::started);
  story.when(signal("USR1"));
  story.when(rerun(), operator_());
  story.exits(-11);
  story.leaves();
  story.when(propose(), the_server());
  BOOST_TEST(owed(story) == "");
  BOOST_TEST(story.when(signal("USR2")) == "jobSignalled");
  BOOST_TEST(owed(story) == "1 USR2");
}

BOOST_AUTO_TEST_CASE(a_host_that_takes_nothing_is_not_asked_without_end) {
  auto story = given(job_phase::started);
  for (std::size_t i = 0; i < limits::open_wishes_max; ++i) BOOST_TEST(story.when(signal("USR1")) == "jobSignalled");
  BOOST_TEST(said(story.ask(signal("USR1"))).starts_with("15208 Please retry"));
}

BOOST_AUTO_TEST_CASE(a_message_has_a_largest_size) {
  const auto story = given(job_phase::started);
  BOOST_TEST(said(story.ask(message(std::string(limits::message_bytes_max, 'x')))) == "jobMessaged");
  BOOST_TEST(said(story.ask(message(std::string(limits::message_bytes_max + 1, 'x')))).starts_with("15014"));
}
