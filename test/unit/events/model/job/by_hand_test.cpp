// What is done with a job by hand: signals, messages, suspension, moves, its place in the order.
#include <boost/test/unit_test.hpp>

#include "events/attributes/select_rules.hpp"
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
  for (const auto& debt : model::pending_effects(story.job, story.settings))
    if (const auto* told = std::get_if<model::tell_run>(&debt))
      text += (text.empty() ? "" : ", ") + std::to_string(told->request.id) + " " + told->request.text;
  return text;
}

// The scheduler's word that there is room for a suspended job again.
model::proposed_run propose_resume() {
  auto p = propose();
  p.message = schema::make<schema::FromScheduler>([](schema::FromScheduler::Builder m) { m.initRun().setExecVnode("(borg:ncpus=1)"); });
  return p;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_signal_is_owed_to_the_host_until_it_is_carried_out) {
  auto story = given(job_phase::started);
  BOOST_TEST(story.when(signal("USR1")) == "signalled");
  BOOST_TEST(story.when(signal("USR1")) == "signalled");  // twice is twice
  BOOST_TEST(owed(story) == "1 USR1, 2 USR1");
  BOOST_TEST(story.obeys(1) == "requestDone");
  BOOST_TEST(story.obeys(1) == "");
  BOOST_TEST(owed(story) == "2 USR1");
  BOOST_TEST(story.obeys(7) == "");                     // never asked
  BOOST_TEST(story.obeys(2, story.job.run + 1) == "");  // of another run
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
  for (const char* known : {"SIGTERM", "15", "NULL", "0", "WINCH", "99"}) BOOST_TEST(said(story.ask(signal(known))) == "signalled");
  for (const char* unknown : {"FOO", "SIGFOO", "term", "sigterm", "", "-1", "SUSPEND"})
    BOOST_TEST(said(story.ask(signal(unknown))).starts_with("15013"), unknown);
}

BOOST_AUTO_TEST_CASE(a_run_that_begins_anew_is_told_nothing_old) {
  auto story = given(job_phase::started);
  story.when(signal("USR1"));
  story.when(rerun(), operator_());
  story.exits(-11);
  story.leaves();
  story.when(propose(), the_scheduler());
  BOOST_TEST(owed(story) == "");
  BOOST_TEST(story.when(signal("USR2")) == "signalled");
  BOOST_TEST(owed(story) == "1 USR2");
}

BOOST_AUTO_TEST_CASE(a_host_that_takes_nothing_is_not_asked_without_end) {
  auto story = given(job_phase::started);
  for (std::size_t i = 0; i < limits::open_requests_max; ++i) BOOST_TEST(story.when(signal("USR1")) == "signalled");
  BOOST_TEST(said(story.ask(signal("USR1"))).starts_with("15208 Please retry"));
}

BOOST_AUTO_TEST_CASE(a_message_has_a_largest_size) {
  const auto story = given(job_phase::started);
  BOOST_TEST(said(story.ask(message(std::string(limits::message_bytes_max, 'x')))) == "messaged");
  BOOST_TEST(said(story.ask(message(std::string(limits::message_bytes_max + 1, 'x')))).starts_with("15014"));
}

// -- suspension -------------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_suspended_job_gives_up_its_vnodes_and_takes_them_again) {
  auto story = given(job_phase::started);
  BOOST_TEST(said(story.ask(signal("suspend"))) == unauthorized);  // its owner may not
  const auto comment = story.comment();
  BOOST_TEST(story.when(signal("suspend"), operator_()) == "suspended vnodesReleased");
  BOOST_TEST(story.state() == "S 43");
  BOOST_TEST(story.comment() == comment);
  BOOST_TEST(story.job.released == "(borg:ncpus=1)");
  BOOST_TEST(story.attribute(ids::resources_released) == "");
  BOOST_TEST(owed(story) == "1 ");
  BOOST_TEST(said(story.ask(signal("suspend"), operator_())) == bad_state);
  BOOST_TEST(said(story.ask(signal("USR1"))) == "signalled");
  BOOST_TEST(story.when(signal("resume"), operator_()) == "resumed vnodesTaken");
  BOOST_TEST(story.state() == "R 41");
  BOOST_TEST(said(story.ask(signal("resume"), operator_())) == bad_state);
}

BOOST_AUTO_TEST_CASE(only_what_the_administrator_chose_is_released) {
  auto story = given(job_phase::queued);
  story.settings.server.set(attributes::server::restrict_res_to_release_on_suspend, "ncpus,ngpus");
  story.when(propose("(borg:ncpus=1:mem=10240kb)+(borg:mem=5kb)"), the_scheduler());
  story.starts();
  story.when(signal("suspend"), operator_());
  BOOST_TEST(story.attribute(ids::resources_released) == "(borg:ncpus=1)");
  BOOST_TEST(story.attribute(ids::resource_released_list, "ncpus") == "1");
  story.when(signal("resume"), operator_());
  BOOST_TEST(story.attribute(ids::resources_released) == "");
  BOOST_TEST(story.attribute(ids::resource_released_list, "ncpus") == "");
}

BOOST_AUTO_TEST_CASE(what_an_administrator_suspended_is_resumed_as_such) {
  auto story = given(job_phase::started);
  story.when(signal("admin-suspend"), operator_());
  BOOST_TEST(said(story.ask(signal("resume"), manager())) == "15177 Job can not be resumed with the requested resume signal");
  BOOST_TEST(story.when(signal("admin-resume"), manager()) == "resumed vnodesTaken");
  story.when(signal("suspend"), operator_());
  BOOST_TEST(said(story.ask(signal("admin-resume"), manager())).starts_with("15177"));
}

BOOST_AUTO_TEST_CASE(a_job_without_room_is_resumed_by_the_scheduler) {
  auto story = given(job_phase::suspended);
  BOOST_TEST(said(story.ask(propose_resume(), the_scheduler())).starts_with("15016"));  // nobody asked for it
  BOOST_TEST(story.when(model::resume_later{}, operator_()) == "resumeWanted");
  BOOST_TEST(story.when(model::resume_later{}, operator_()) == "");
  BOOST_TEST(story.state() == "S 45");
  BOOST_TEST(said(story.ask(propose(), the_scheduler())).starts_with("15016"));  // it runs already
  BOOST_TEST(story.when(propose_resume(), the_scheduler()) == "resumed vnodesTaken");
  BOOST_TEST(story.state() == "R 41");
}

BOOST_AUTO_TEST_CASE(a_proposal_to_resume_starts_no_job_that_was_queued_again_meanwhile) {
  auto story = given(job_phase::suspended);
  story.when(model::resume_later{}, operator_());
  story.when(rerun(true), operator_());
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(said(story.ask(propose_resume(), the_scheduler())) == "15016 Job not suspended");
}

// Preemption: no second command, which a crash could lose.
BOOST_AUTO_TEST_CASE(a_job_that_makes_room_wants_to_go_on) {
  auto story = given(job_phase::started);
  BOOST_TEST(story.when(model::make_room{signal("suspend"), "default"}, the_scheduler()) == "suspended vnodesReleased resumeWanted");
  BOOST_TEST(story.job.attribute(ids::substate) == "45");
  BOOST_TEST(story.when(propose_resume(), the_scheduler()) == "resumed vnodesTaken");
  BOOST_TEST(story.job.attribute(ids::comment).starts_with("Job run at "));
}

BOOST_AUTO_TEST_CASE(a_job_that_was_queued_again_to_make_room_is_preempted_until_it_runs) {
  auto story = given(job_phase::started);
  BOOST_TEST(story.when(model::make_room{rerun(), "default"}, the_scheduler()) == "rerunRequested");
  story.exits(-11);
  story.leaves();
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(story.job.preempted);
  story.when(propose(), the_scheduler());
  BOOST_TEST(story.job.preempted);  // its start may fail
  story.starts();
  BOOST_TEST(!story.job.preempted);
  story.when(rerun(), operator_());  // by hand
  story.exits(-11);
  story.leaves();
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(!story.job.preempted);
}

BOOST_AUTO_TEST_CASE(a_suspended_job_can_be_deleted_run_again_and_can_end) {
  auto story = given(job_phase::suspended);
  BOOST_TEST(said(story.ask(remove())) == "deleteRequested");
  BOOST_TEST(said(story.ask(rerun(), operator_())) == "rerunRequested");
  BOOST_TEST(story.exits(0) == "exited");
  BOOST_TEST(story.job.released == "");
  BOOST_TEST(story.leaves() == "outputDelivered vnodesReleased ended");
}

// -- by qrun, qmove and qorder ------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(qrun_runs_what_no_scheduler_would) {
  auto asked = propose();
  asked.asked = true;
  asked.scheduler.clear();
  for (auto phase : {job_phase::queued, job_phase::held, job_phase::waiting}) {
    auto story = given(phase);
    BOOST_TEST(story.when(asked, operator_()) == "assigned");
    BOOST_TEST(story.state() == "R 41");
  }
  BOOST_TEST(said(given(job_phase::held).ask(propose(), the_scheduler())).starts_with("15016"));
  BOOST_TEST(said(given(job_phase::started).ask(asked, operator_())) == bad_state);
  BOOST_TEST(said(given(job_phase::suspended).ask(asked, operator_())) == bad_state);
  auto held = given(job_phase::held);
  held.when(asked, operator_());
  BOOST_TEST(held.attribute(ids::Hold_Types) == "u");
}

namespace {

struct two_queues : job_story {
  two_queues() {
    auto& q = settings.queues["long"].attributes;
    q = settings.queues["workq"].attributes;
    q.set(attributes::queue::resources_default, "walltime", "05:00:00");
    q.set(attributes::queue::resources_max, "walltime", "10:00:00");
    settings.queues["workq"].attributes.set(attributes::queue::resources_default, "walltime", "00:10:00");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_moved_job_has_the_defaults_of_its_new_queue, two_queues) {
  when(submission(12));
  BOOST_TEST(attribute(ids::Resource_List, "walltime") == "00:10:00");
  const auto rank = job.queue_rank;
  BOOST_TEST(later(60).when(move("long")) == "moved");
  BOOST_TEST(attribute(ids::queue) == "long");
  BOOST_TEST(attribute(ids::Resource_List, "walltime") == "05:00:00");
  BOOST_TEST(attribute(ids::qtime) == std::to_string(now_s));
  BOOST_TEST(job.queue_rank > rank);
  BOOST_TEST(when(move("workq@borg")) == "moved");
  BOOST_TEST(attribute(ids::Resource_List, "walltime") == "00:10:00");
}

BOOST_FIXTURE_TEST_CASE(what_the_user_asked_for_moves_along, two_queues) {
  when(submission(12, {{"Resource_List", "walltime", "07:00:00"}, {"Resource_List", "select", "2:ncpus=3"}}));
  const auto select = attribute(ids::schedselect);
  when(move("long"));
  BOOST_TEST(attribute(ids::Resource_List, "walltime") == "07:00:00");
  BOOST_TEST(attribute(ids::schedselect) == select);
  BOOST_TEST(attribute(ids::Resource_List, "ncpus") == "6");
}

BOOST_FIXTURE_TEST_CASE(a_move_is_refused_as_pbs_refuses_it, two_queues) {
  when(submission(12, {{"Resource_List", "walltime", "20:00:00"}}));
  const auto no = [&](const std::string& where, const model::requester& by = user()) { return said(ask(move(where), by)); };
  BOOST_TEST(no("nosuch") == "15018 Unknown queue");
  BOOST_TEST(no("workq@elsewhere") == "15008 Access from host not allowed, or unknown host");
  BOOST_TEST(no("long", user("other")) == unauthorized);
  BOOST_TEST(no("long").starts_with("15036"));
  BOOST_TEST(no("long", manager()) == "moved");
  settings.queues["long"].attributes.set(attributes::queue::enabled, "False");
  BOOST_TEST(no("long").starts_with("15021"));
  for (auto phase : {job_phase::assigned, job_phase::started, job_phase::exiting})
    BOOST_TEST(said(given(phase).ask(move("workq"))) == bad_state);
  BOOST_TEST(said(given(job_phase::finished).ask(move("workq"))) == finished);
}

// pbs_rsub --job
BOOST_AUTO_TEST_CASE(a_reservation_takes_a_run_over_and_nobody_else_moves_one) {
  for (auto phase : {job_phase::assigned, job_phase::started, job_phase::suspended}) {
    auto story = given(phase);
    auto& queue = story.settings.queues["R5"];
    queue.attributes = story.settings.queues["workq"].attributes;
    queue.reservation = 40;
    const auto asks_for = attributes::resources_of(story.job.attributes, ids::Resource_List);
    BOOST_TEST(said(story.ask(move("R5"), manager())) == bad_state);
    BOOST_TEST(said(story.ask(move("workq"), the_server())) == bad_state);
    BOOST_TEST(story.when(move("R5"), the_server()) == "moved");
    BOOST_TEST((story.job.phase == phase));
    BOOST_TEST(story.attribute(ids::queue) == "R5");
    BOOST_TEST(story.attribute(ids::reserve_ID) == "R5.borg");
    BOOST_TEST((attributes::resources_of(story.job.attributes, ids::Resource_List) == asks_for));
    BOOST_TEST(story.when(move("R5"), the_server()) == "");
  }
}

BOOST_AUTO_TEST_CASE(a_waiting_job_gets_another_rank) {
  auto story = given(job_phase::held);
  BOOST_TEST(story.when(model::set_rank{42}) == "reordered");
  BOOST_TEST(story.attribute(ids::queue_rank) == "42");
  BOOST_TEST(story.when(model::set_rank{42}) == "");
  BOOST_TEST(said(given(job_phase::started).ask(model::set_rank{42})) == bad_state);
}
