// Who may have a job run (schedulers, qrun) and change its place in the order (qorder), and what the others are told.
#include <boost/test/unit_test.hpp>

#include "events/attributes/ids.hpp"
#include "events/model/job/run_rights.hpp"
#include "events/values/pbs_error.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;

namespace {

model::job_state job_in(job_phase phase) { return given(phase).job; }

constexpr const char *unauthorized = "15007 Unauthorized Request ", *bad_state = "15016 Request invalid for state of job",
                     *finished = "15139 Job has finished";

std::string text(const std::optional<model::rejection>& why) { return why ? std::to_string(why->code) + " " + why->text : "yes"; }
std::string of_qrun(const model::job_state& job, const model::requester& by) { return text(model::run_by_hand_refusal(&job, by)); }
std::string of_qorder(const model::job_state& job, const model::requester& by) { return text(model::reorder_refusal(&job, by)); }

model::proposed_run propose_as(const std::string& scheduler) {
  auto p = propose();
  p.scheduler = scheduler;
  return p;
}
model::proposed_run by_hand() {
  auto p = propose_as("");
  p.asked = true;
  return p;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(run_rights)

BOOST_AUTO_TEST_CASE(the_default_scheduler_runs_every_job_of_no_partition) {  // MS-38, MS-81
  const auto story = given(job_phase::queued);
  BOOST_TEST(model::scheduler_of(story.job, story.settings) == "default");
  BOOST_TEST(said(story.ask(propose(), the_scheduler())) == "assigned");
}

BOOST_AUTO_TEST_CASE(a_scheduler_runs_no_job_of_another) {  // MS-36
  const auto story = given(job_phase::queued);
  const std::string no = "15007 Unauthorized Request: job " + story.job.id + " is scheduler default's to run, not sched2's";
  BOOST_TEST(said(story.ask(propose_as("sched2"), the_scheduler())) == no);
  auto asked = propose_as("sched2");  // its own word that somebody asked for it does not help
  asked.asked = true;
  BOOST_TEST(said(story.ask(asked, the_scheduler())) == no);
}

BOOST_AUTO_TEST_CASE(a_job_is_the_scheduler_s_that_has_the_partition_of_its_queue) {  // MS-35, MS-36, MS-81
  auto story = given(job_phase::queued);
  story.settings.queues["workq"].attributes.set(attributes::queue::partition, "P1");
  BOOST_TEST(model::scheduler_of(story.job, story.settings) == "");
  const std::string nobody = "15007 Unauthorized Request: job " + story.job.id + " is nobody's to run: no scheduler has partition P1";
  BOOST_TEST(said(story.ask(propose(), the_scheduler())) == nobody);
  BOOST_TEST(said(story.ask(propose_as(""), the_scheduler())) == nobody);
  story.settings.scheduler_of_partition["P1"] = "s1";
  BOOST_TEST(model::scheduler_of(story.job, story.settings) == "s1");
  BOOST_TEST(said(story.ask(propose(), the_scheduler())) ==
             "15007 Unauthorized Request: job " + story.job.id + " is scheduler s1's to run, not default's");
  BOOST_TEST(said(story.ask(propose_as("s1"), the_scheduler())) == "assigned");
  BOOST_TEST(said(story.ask(by_hand(), operator_())) == "assigned");
}

BOOST_AUTO_TEST_CASE(no_job_makes_room_for_the_scheduler_of_another_partition) {  // MS-35, MS-36
  auto story = given(job_phase::started);
  for (const auto& what : {signal("suspend"), rerun(), remove()}) {
    BOOST_TEST(said(story.ask(model::make_room{what, "sched2"}, the_scheduler())) ==
               "15007 Unauthorized Request: job " + story.job.id + " is scheduler default's to preempt, not sched2's");
    BOOST_TEST(!said(story.ask(model::make_room{what, "default"}, the_scheduler())).starts_with("15"));
  }
  story.settings.queues["workq"].attributes.set(attributes::queue::partition, "P1");
  BOOST_TEST(said(story.ask(model::make_room{signal("suspend"), "default"}, the_scheduler())).starts_with("15007"));
}

// Its queue has come to another partition; its vnodes have not.
BOOST_AUTO_TEST_CASE(a_suspended_job_goes_on_where_it_was) {
  auto story = given(job_phase::suspended);
  story.when(model::resume_later{}, operator_());
  story.settings.queues["workq"].attributes.set(attributes::queue::partition, "P1");
  story.settings.scheduler_of_partition = {{"P1", "s1"}, {"P2", "s2"}};
  model::proposed_run resume{
      schema::make<schema::FromScheduler>([](schema::FromScheduler::Builder m) { m.initRun().setExecVnode("(borg:ncpus=1)"); }), "default"};
  for (const char* scheduler : {"default", "s1", "s2"}) {
    resume.scheduler = scheduler;
    BOOST_TEST(said(story.ask(resume, the_scheduler())) == "resumed vnodesTaken");
  }
  resume.scheduler = "s3";
  BOOST_TEST(said(story.ask(resume, the_scheduler())).starts_with("15007"));
}

BOOST_AUTO_TEST_CASE(a_scheduler_resumes_no_job_of_another) {
  auto story = given(job_phase::suspended);
  story.when(model::resume_later{}, operator_());
  model::proposed_run resume{
      schema::make<schema::FromScheduler>([](schema::FromScheduler::Builder m) { m.initRun().setExecVnode("(borg:ncpus=1)"); }), "sched2"};
  BOOST_TEST(said(story.ask(resume, the_scheduler())).starts_with("15007"));
  resume.scheduler = "default";
  BOOST_TEST(said(story.ask(resume, the_scheduler())) == "resumed vnodesTaken");
}

BOOST_AUTO_TEST_CASE(a_person_without_a_name_of_a_scheduler_proposes_by_hand_alone) {
  const auto story = given(job_phase::queued);
  for (const auto& by : {operator_(), manager(), root()}) BOOST_TEST(said(story.ask(by_hand(), by)) == "assigned");
  BOOST_TEST(said(story.ask(by_hand(), user())) == unauthorized);  // its owner
  BOOST_TEST(said(story.ask(by_hand(), user("other"))) == unauthorized);
  for (const auto& by : {user(), operator_(), root()}) BOOST_TEST(said(story.ask(propose(), by)) == unauthorized);  // in a scheduler's name
  auto unasked = by_hand();
  unasked.asked = false;
  BOOST_TEST(said(story.ask(unasked, operator_())) == unauthorized);
}

BOOST_AUTO_TEST_CASE(no_mom_and_no_nameless_scheduler_proposes) {
  const auto story = given(job_phase::queued);
  BOOST_TEST(said(story.ask(propose(), {"pbs_mom", "borg", schema::Role::MOM})) == unauthorized);
  BOOST_TEST(said(story.ask(propose_as(""), the_scheduler())).starts_with("15007"));
}

BOOST_AUTO_TEST_CASE(qrun_is_for_operators_and_jobs_that_wait) {
  for (auto phase : {job_phase::queued, job_phase::held, job_phase::waiting}) {
    const auto story = given(phase);
    BOOST_TEST(text(model::run_by_hand_refusal(&story.job, operator_())) == "yes");
    BOOST_TEST(text(model::run_by_hand_refusal(&story.job, user())) == unauthorized);
  }
  for (auto phase : {job_phase::assigned, job_phase::started, job_phase::exiting})
    BOOST_TEST(of_qrun(job_in(phase), operator_()) == bad_state);
  const auto suspended = job_in(job_phase::suspended);
  BOOST_TEST(model::run_by_hand_refusal(&suspended, operator_())->code == values::pbs_error::resource_unavailable);
  BOOST_TEST(of_qrun(job_in(job_phase::finished), manager()) == finished);
}

BOOST_AUTO_TEST_CASE(qrun_of_subjobs_is_for_those_that_have_not_begun) {
  job_story story;
  story.when(submission(12, {{"array_indices_submitted", "", "1-9:2"}}));
  story.job.array->remaining.remove(1);
  story.job.array->running[1] = 1;
  const auto asked = [&](const char* id, const model::requester& by = operator_()) {
    const auto left = model::subjobs_to_run(&story.job, *values::parse_job_id(id), by);
    return left ? left->print() : std::to_string(left.error().code);
  };
  BOOST_TEST(asked("12[3].borg") == "3");
  BOOST_TEST(asked("12[1-5].borg") == "3-5:2");
  BOOST_TEST(asked("12[3].borg", user()) == "15007");
  BOOST_TEST(asked("12[].borg") == "15004");
  for (const auto* other : {"12[2].borg", "12[20].borg", "12[10-20].borg"}) BOOST_TEST(asked(other) == "15004");
  BOOST_TEST(asked("12[1].borg") == "15016");
  story.job.phase = job_phase::held;
  BOOST_TEST(asked("12[3].borg") == "3");
  story.job.phase = job_phase::finished;
  BOOST_TEST(asked("12[].borg") == "15139");
  const auto plain = given(job_phase::queued);
  for (const auto* job : {static_cast<const model::job_state*>(nullptr), &plain.job})
    BOOST_TEST(model::subjobs_to_run(job, *values::parse_job_id("12[3].borg"), operator_()).error().code == values::pbs_error::unknown_job);
}

BOOST_AUTO_TEST_CASE(a_subjob_that_has_not_begun_is_seen_as_the_job_that_it_would_be) {
  job_story story;
  story.when(submission(12, {{"array_indices_submitted", "", "1-9:2"}}));
  const auto subjob = model::subjob_to_begin(story.job, 3, {1'795'222'000'000'000'000, the_server()});
  BOOST_TEST(subjob.id == "12[3].borg");
  BOOST_TEST(subjob.attribute(attributes::job::array_index) == "3");
  BOOST_TEST(subjob.attribute(attributes::job::array_id) == "12[].borg");
  BOOST_TEST((subjob.phase == job_phase::queued));
}

BOOST_AUTO_TEST_CASE(a_job_that_is_not_there_is_unknown_to_those_who_may_know) {
  BOOST_TEST(text(model::run_by_hand_refusal(nullptr, operator_())).starts_with("15001"));
  BOOST_TEST(text(model::run_by_hand_refusal(nullptr, user())) == unauthorized);
  BOOST_TEST(text(model::reorder_refusal(nullptr, user())).starts_with("15001"));
  const model::job_state never;
  BOOST_TEST(text(model::reorder_refusal(&never, operator_())).starts_with("15001"));
}

BOOST_AUTO_TEST_CASE(qorder_is_for_owners_and_operators) {
  const auto story = given(job_phase::held);
  BOOST_TEST(text(model::reorder_refusal(&story.job, user())) == "yes");
  BOOST_TEST(text(model::reorder_refusal(&story.job, operator_())) == "yes");
  BOOST_TEST(text(model::reorder_refusal(&story.job, user("other"))) == unauthorized);
  BOOST_TEST(of_qorder(job_in(job_phase::started), user()) == bad_state);
  BOOST_TEST(of_qorder(job_in(job_phase::finished), user("other")) == finished);
  BOOST_TEST(said(story.ask(model::set_rank{42}, user("other"))) == unauthorized);  // the job itself asks as well
  BOOST_TEST(said(story.ask(model::set_rank{42}, user())) == "reordered");
}

BOOST_AUTO_TEST_CASE(a_run_speaks_for_its_user_from_its_hosts_until_its_program_ends) {
  const auto user_of = [](const model::job_state& job, std::uint32_t run, const char* host) {
    return model::identity_of_run(job, run, host).user;
  };
  auto story = given(job_phase::queued);
  story.when(propose_hosts({"borg", "lendl"}), the_scheduler());
  const std::string euser(story.job.attribute(attributes::job::euser));
  BOOST_REQUIRE(!euser.empty());
  for (const char* host : {"borg", "lendl"}) BOOST_TEST(user_of(story.job, 1, host) == euser);
  BOOST_TEST(model::identity_of_run(story.job, 1, "borg").group == story.job.attribute(attributes::job::egroup));
  BOOST_TEST(user_of(story.job, 1, "federer") == "");
  BOOST_TEST(user_of(story.job, 1, "") == "");
  BOOST_TEST(user_of(story.job, 0, "borg") == "");
  BOOST_TEST(user_of(story.job, 2, "borg") == "");
  for (auto phase : {job_phase::assigned, job_phase::started, job_phase::suspended}) BOOST_TEST(user_of(job_in(phase), 1, "borg") != "");
  for (auto phase : {job_phase::none, job_phase::queued, job_phase::held, job_phase::exiting, job_phase::finished}) {
    auto job = job_in(phase);
    for (std::uint32_t run : {0u, 1u}) BOOST_TEST(user_of(job, run, "borg") == "");
  }
}

BOOST_AUTO_TEST_CASE(two_jobs_exchange_their_ranks_or_neither_moves) {
  auto first = given(job_phase::queued), second = given(job_phase::waiting);
  first.job.queue_rank = 3;
  second.job.queue_rank = 8;
  const auto ranks = model::exchange_ranks(&first.job, &second.job, user());
  BOOST_REQUIRE(static_cast<bool>(ranks));
  BOOST_TEST(ranks->first.rank == 8);
  BOOST_TEST(ranks->second.rank == 3);
  BOOST_TEST(model::exchange_ranks(&first.job, nullptr, user()).error().code == values::pbs_error::unknown_job);
  const auto started = job_in(job_phase::started);
  BOOST_TEST(model::exchange_ranks(&first.job, &started, user()).error().code == values::pbs_error::bad_state);
  BOOST_TEST(model::exchange_ranks(&first.job, &second.job, user("other")).error().code == values::pbs_error::unauthorized);
}

BOOST_AUTO_TEST_SUITE_END()
