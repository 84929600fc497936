// What users and administrators may ask of a job: holds, deletes, reruns.
#include <boost/test/unit_test.hpp>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
namespace ids = attributes::job;

BOOST_AUTO_TEST_CASE(releasing_the_last_hold_queues_the_job) {
  auto story = given(job_phase::held);
  BOOST_TEST(story.state() == "H 20");
  BOOST_TEST(story.attribute(ids::etime) == "");
  BOOST_TEST(story.later(5).when(release({HoldType::USER})) == "released");
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(story.attribute(ids::etime) == std::to_string(story.now_s));
}

BOOST_AUTO_TEST_CASE(releasing_one_hold_of_two_leaves_the_job_held) {
  auto story = given(job_phase::held);
  story.when(hold({HoldType::OPERATOR}), operator_());
  BOOST_TEST(story.attribute(ids::Hold_Types) == "ou");
  BOOST_TEST(story.when(release({HoldType::USER})) == "released");
  BOOST_TEST(story.state() == "H 20");
}

BOOST_AUTO_TEST_CASE(a_job_released_before_its_time_waits) {
  auto story = given(job_phase::waiting);
  story.when(hold({HoldType::USER}));
  BOOST_TEST(story.state() == "H 20");
  story.when(release({HoldType::USER}));
  BOOST_TEST(story.state() == "W 30");
}

BOOST_AUTO_TEST_CASE(holding_writes_the_comment_and_holding_again_changes_nothing) {
  auto story = given(job_phase::queued);
  BOOST_TEST(story.when(hold({HoldType::USER})) == "held");
  BOOST_TEST(story.comment().starts_with("Job held by user1 on "));
  BOOST_TEST(story.when(hold({HoldType::USER})) == "");
}

BOOST_AUTO_TEST_CASE(no_hold_leaves_its_comment_and_any_release_takes_it_off) {
  auto story = given(job_phase::queued);
  BOOST_TEST(story.when(hold({})) == "held");
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(story.comment().starts_with("Job held by user1 on "));
  BOOST_TEST(story.when(release({HoldType::USER})) == "released");
  BOOST_TEST(story.comment() == "");
  BOOST_TEST(story.when(release({HoldType::USER})) == "");
}

BOOST_AUTO_TEST_CASE(each_kind_of_hold_needs_its_role) {
  const auto refused = "15007 Unauthorized Request ";
  const auto story = given(job_phase::queued);
  const auto may = [&](HoldType h, const model::requester& by) { return said(story.ask(hold({h}), by)); };
  BOOST_TEST(may(HoldType::USER, user()) == "held");
  BOOST_TEST(may(HoldType::USER, user("other")) == refused);
  BOOST_TEST(may(HoldType::OPERATOR, user()) == refused);
  BOOST_TEST(may(HoldType::OPERATOR, operator_()) == "held");
  BOOST_TEST(may(HoldType::SYSTEM, operator_()) == refused);
  BOOST_TEST(may(HoldType::SYSTEM, manager()) == "held");
  BOOST_TEST(may(HoldType::BAD_PASSWORD, manager()) == refused);
  BOOST_TEST(may(HoldType::BAD_PASSWORD, root()) == "held");
}

BOOST_AUTO_TEST_CASE(a_hold_for_a_bad_password_is_taken_off_by_the_owner) {
  auto story = given(job_phase::queued);
  story.when(hold({HoldType::BAD_PASSWORD}), root());
  BOOST_TEST(said(story.ask(release({HoldType::BAD_PASSWORD}), user("other"))) == "15007 Unauthorized Request ");
  BOOST_TEST(story.when(release({HoldType::BAD_PASSWORD})) == "released");
  BOOST_TEST(story.state() == "Q 10");
}

BOOST_AUTO_TEST_CASE(a_hold_of_a_running_job_counts_when_it_is_requeued) {
  auto story = given(job_phase::started);
  BOOST_TEST(story.when(hold({HoldType::USER})) == "held");
  BOOST_TEST(story.state() == "R 41");
  BOOST_TEST(story.attribute(ids::Hold_Types) == "u");
  story.when(rerun(), manager());
  story.exits(-11);
  story.leaves();
  BOOST_TEST(story.state() == "H 20");
}

BOOST_AUTO_TEST_CASE(finished_and_exiting_jobs_are_not_held) {
  BOOST_TEST(said(given(job_phase::finished).ask(hold({HoldType::USER}))) == "15139 Job has finished");
  BOOST_TEST(said(given(job_phase::exiting).ask(hold({HoldType::USER}))).starts_with("15016 "));
  BOOST_TEST(said(given(job_phase::forgotten).ask(hold({HoldType::USER}))).starts_with("15001 "));
}

// -- delete --------------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_job_that_does_not_run_is_deleted_at_once) {
  for (auto phase : {job_phase::queued, job_phase::held, job_phase::waiting}) {
    auto story = given(phase);
    BOOST_TEST(story.when(remove()) == "deleteRequested ended");
    BOOST_TEST(story.state() == "F 91");
    BOOST_TEST(!story.job.has_exit_status);
    BOOST_TEST(story.comment() == "");  // it never had one
  }
}

BOOST_AUTO_TEST_CASE(a_deleted_job_with_a_comment_says_it_was_terminated) {
  auto story = given(job_phase::queued);
  story.when(hold({HoldType::USER}));
  story.when(remove());
  BOOST_TEST(story.comment().ends_with(" and terminated"));
}

BOOST_AUTO_TEST_CASE(a_running_job_is_deleted_when_its_program_has_gone) {
  for (auto phase : {job_phase::assigned, job_phase::started}) {
    auto story = given(phase);
    BOOST_TEST(story.when(remove()) == "deleteRequested");
    BOOST_TEST(story.when(remove()) == "");                     // asked already
    BOOST_TEST(story.when(remove(true)) == "deleteRequested");  // a stronger request
    story.exits(271);
    BOOST_TEST(story.leaves() == "outputDelivered vnodesReleased ended");
    BOOST_TEST(story.state() == "F 91");
    BOOST_TEST(story.comment().ends_with(" and terminated by user1@borg"));
    BOOST_TEST(story.job.exit_status == 271);
  }
}

BOOST_AUTO_TEST_CASE(an_exiting_job_is_deleted_once) {
  auto story = given(job_phase::exiting);
  BOOST_TEST(story.when(remove()) == "deleteRequested");
  BOOST_TEST(story.when(remove()).starts_with("15016 "));
}

BOOST_AUTO_TEST_CASE(a_finished_job_is_deleted_from_the_history_only) {
  auto story = given(job_phase::finished);
  BOOST_TEST(story.when(remove()) == "15139 Job has finished");
  BOOST_TEST(story.when(remove(false, true), user("other")) == "15007 Unauthorized Request ");
  BOOST_TEST(story.when(remove(false, true)) == "deleteRequested forgotten");
  BOOST_TEST(story.when(remove(false, true)).starts_with("15001 "));
}

BOOST_AUTO_TEST_CASE(qdel_x_of_a_running_job_leaves_no_history) {
  auto story = given(job_phase::started);
  story.when(remove(false, true));
  story.exits(271);
  BOOST_TEST(story.leaves() == "outputDelivered vnodesReleased ended forgotten");
}

BOOST_AUTO_TEST_CASE(an_operators_force_forgets_a_run_at_once) {
  for (auto phase : {job_phase::assigned, job_phase::started}) {
    auto story = given(phase);
    story.when(remove(true));  // the owner's force waits for the host
    const std::string started = phase == job_phase::assigned ? "started " : "";
    BOOST_TEST(story.when(remove(true), operator_()) == "deleteRequested " + started + "exited vnodesReleased ended");
    BOOST_TEST(story.state() == "F 91");
    BOOST_TEST(story.attribute(ids::Exit_status) == "265");
    BOOST_TEST(model::pending_effects(story.job, story.settings).empty());
  }
  auto story = given(job_phase::exiting);
  story.when(remove());
  BOOST_TEST(story.when(remove(true), operator_()) == "deleteRequested vnodesReleased ended");
  BOOST_TEST(story.when(remove(true), operator_()) == "15139 Job has finished");
}

BOOST_AUTO_TEST_CASE(without_history_a_job_is_forgotten_at_its_end) {
  auto story = given(job_phase::exiting);
  story.settings.server.set(attributes::server::job_history_enable, "False");
  BOOST_TEST(story.leaves() == "outputDelivered vnodesReleased ended forgotten");
}

// -- rerun ---------------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_rerun_job_is_queued_again_without_traces_of_its_run) {
  auto story = given(job_phase::started);
  story.uses({1, 100, 2, 1});
  const auto etime = story.attribute(ids::etime);
  BOOST_TEST(story.when(rerun()) == "15007 Unauthorized Request ");
  BOOST_TEST(story.when(rerun(), operator_()) == "rerunRequested");
  BOOST_TEST(story.state() == "R 60");
  BOOST_TEST(story.when(rerun(), operator_()) == "");
  story.exits(-11, {1, 100, 3, 1});
  BOOST_TEST(story.leaves() == "outputDelivered vnodesReleased requeued");
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(story.attribute(ids::run_count) == "1");
  BOOST_TEST(story.attribute(ids::Exit_status) == "-11");
  BOOST_TEST(story.attribute(ids::etime) == etime);
  BOOST_TEST(story.comment().starts_with("Job run at "));
  for (auto id : {ids::exec_host, ids::exec_vnode, ids::session_id, ids::stime, ids::resources_used})
    BOOST_TEST(!story.job.attributes.has(id));
}

BOOST_AUTO_TEST_CASE(a_job_that_may_not_be_rerun_needs_force) {
  auto story = given(job_phase::started, {{"Rerunable", "", "False"}});
  BOOST_TEST(story.when(rerun(), manager()).starts_with("15038 "));
  BOOST_TEST(story.when(rerun(true), manager()) == "rerunRequested exited vnodesReleased requeued");  // it waits for no host
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(story.when(rerun(), manager()).starts_with("15038 "));  // also of one that does not run
  BOOST_TEST(story.when(rerun(true), manager()).starts_with("15016 "));
}

BOOST_AUTO_TEST_CASE(an_interactive_job_is_not_rerun_whatever_is_asked_for) {
  auto story = given(job_phase::started, {{"interactive", "", "True"}});
  story.when(alter({{"Rerunable", "", "y"}}));
  BOOST_TEST(story.attribute(ids::Rerunable) == "False");
  BOOST_TEST(story.when(rerun(), manager()).starts_with("15038 "));
  BOOST_TEST(story.when(rerun(true), manager()).starts_with("15038 "));
}

BOOST_AUTO_TEST_CASE(a_hook_may_ask_for_another_run_when_the_program_has_ended) {  // pbs guide: hooks, job.rerun(): -18
  const model::requester mom{"pbs_mom", "n1", schema::Role::MOM};
  auto story = given(job_phase::started);
  story.exits(0, {1, 100, 3, 1});
  BOOST_TEST(story.state() == "E 51");
  BOOST_TEST(story.when(rerun(), mom) == "rerunRequested");
  BOOST_TEST(story.when(rerun(), mom) == "");
  BOOST_TEST(story.leaves() == "outputDelivered vnodesReleased requeued");
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(story.attribute(ids::Exit_status) == "-18");
}

BOOST_AUTO_TEST_CASE(only_running_jobs_are_rerun) {
  BOOST_TEST(said(given(job_phase::queued).ask(rerun(), manager())).starts_with("15016 "));
  BOOST_TEST(said(given(job_phase::exiting).ask(rerun(), manager())).starts_with("15016 "));
  BOOST_TEST(said(given(job_phase::finished).ask(rerun(), manager())) == "15139 Job has finished");
}

BOOST_AUTO_TEST_CASE(a_job_deleted_while_it_is_rerun_ends) {
  auto story = given(job_phase::started);
  story.when(rerun(), manager());
  story.when(remove());
  story.exits(-11);
  BOOST_TEST(story.leaves() == "outputDelivered vnodesReleased ended");
}
