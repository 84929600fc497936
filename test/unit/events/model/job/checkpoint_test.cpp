// A job that is checkpointed and goes on from there: preempt_order C, qhold, the run that follows.
#include <boost/test/unit_test.hpp>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
namespace ids = attributes::job;

namespace {

const model::make_room checkpoint{signal("checkpoint"), "default"};

job_story runs_where_it_can_be(const char* checkpoint_attribute = "u") {
  auto story = given(job_phase::queued);
  story.job.attributes.set(ids::Checkpoint, checkpoint_attribute);
  story.when(propose(), the_scheduler());
  story.starts(0, true);
  return story;
}

bool restarts(const job_story& story) { return model::start_order(story.job, story.settings, {}).get().getStartRun().getRestart(); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_preempted_job_is_checkpointed_and_bound_to_its_place) {
  auto story = runs_where_it_can_be();
  BOOST_TEST(story.when(checkpoint, the_scheduler()) == "signalled");
  BOOST_TEST(said(story.ask(checkpoint, the_scheduler())) == "");  // it is asked already
  story.exits(-12);
  story.leaves();
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(story.job.checkpointed_at == "(borg:ncpus=1)");
  BOOST_TEST(story.job.preempted);
  BOOST_TEST(said(story.ask(propose("(other:ncpus=1)"), the_scheduler())).starts_with("15057"));
  story.when(propose(), the_scheduler());
  BOOST_TEST(restarts(story));
  story.starts(0, true);
  story.when(rerun(), operator_());
  story.exits(-11);
  story.leaves();
  BOOST_TEST(story.job.checkpointed_at == "");  // it has gone on from there
}

BOOST_AUTO_TEST_CASE(a_host_that_can_not_is_not_asked) {
  auto cannot = given(job_phase::started);
  BOOST_TEST(said(cannot.ask(checkpoint, the_scheduler())).starts_with("15029"));
  auto unwilling = runs_where_it_can_be("n");
  BOOST_TEST(said(unwilling.ask(checkpoint, the_scheduler())).starts_with("15029"));
  auto failed = runs_where_it_can_be();
  failed.when(checkpoint, the_scheduler());
  BOOST_TEST(failed.obeys(1) == "requestDone");  // a host says so only of a script that has failed
  BOOST_TEST(failed.state() == "R 41");
  BOOST_TEST(!failed.job.preempted);
  BOOST_TEST(said(failed.ask(checkpoint, the_scheduler())).starts_with("15029"));
}

BOOST_AUTO_TEST_CASE(qhold_checkpoints_a_running_job_where_its_host_can) {
  auto story = runs_where_it_can_be();
  BOOST_TEST(story.when(hold({HoldType::USER})) == "held signalled");
  story.exits(-12);
  story.leaves();
  BOOST_TEST(story.state() == "H 20");
  BOOST_TEST(!story.job.preempted);
  auto other = given(job_phase::started);
  BOOST_TEST(other.when(hold({HoldType::USER})) == "held");
}

BOOST_AUTO_TEST_CASE(a_job_that_can_not_be_restarted_is_held_and_keeps_its_checkpoint) {
  auto story = runs_where_it_can_be();
  story.when(checkpoint, the_scheduler());
  story.exits(-12);
  story.leaves();
  story.when(propose(), the_scheduler());
  story.refuses(-7, 0, "there is no $action restart");
  BOOST_TEST(story.state() == "H 20");
  BOOST_TEST(story.attribute(ids::Hold_Types) == "s");
  BOOST_TEST(story.comment() == "job held, not restarted from its checkpoint on borg: there is no $action restart");
  BOOST_TEST(story.job.checkpointed_at == "(borg:ncpus=1)");
}

BOOST_AUTO_TEST_CASE(a_deleted_job_is_not_queued_again) {
  auto story = runs_where_it_can_be();
  story.when(checkpoint, the_scheduler());
  story.when(remove());
  story.exits(-12);
  story.leaves();
  BOOST_TEST(story.state().starts_with("F"));
}
