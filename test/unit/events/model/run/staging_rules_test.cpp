// Files that come before a run's program: what its host does about them, and what becomes of the job.
#include <boost/test/unit_test.hpp>

#include "events/model/job/explained.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
using model::run_phase;
namespace ids = attributes::job;

namespace {

schema::sealed<schema::ToMom> order(const std::vector<std::string>& sisters = {}) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto o = m.initStartRun();
    o.initRef().setJob("12.borg");
    o.getRef().setRun(1);
    auto list = o.initSisters(static_cast<unsigned>(sisters.size()));
    for (unsigned i = 0; i < sisters.size(); ++i) list[i].setHost(sisters[i]);
    fill(o.initAttributes(1), {{"stagein", "", "in@store:/data/in"}});
  });
}
model::kill_order killed() {
  return {schema::make<schema::ToMom>([](schema::ToMom::Builder m) {
    auto s = m.initSignalRun();
    s.initRef().setJob("12.borg");
    s.setId(1);
    s.setExitStatus(271);
  })};
}
model::discard_order discarded() {
  return {schema::make<schema::ToMom>([](schema::ToMom::Builder m) { m.initDiscardRun().setJob("12.borg"); })};
}
const model::files_staged came{{true, "", 1, 1}}, did_not_come{{false, "no such file", 0, 1}};

struct run_story {
  model::run_state run;
  model::settings settings;
  std::uint64_t sequence = 0;
  std::int64_t now_s = 1000;
  std::string when(const model::run_command& c) {
    const auto o = model::decide(run, c, {now_s * 1'000'000'000, the_server()}, settings);
    for (const auto& e : o.events()) model::apply(run, {++sequence, 3, run.version + 1, now_s * 1'000'000'000, the_server()}, e.get());
    return said(o);
  }
  template <class Effect>
  bool owes() const {
    for (const auto& e : model::pending_effects(run, {}))
      if (std::holds_alternative<Effect>(e)) return true;
    return false;
  }
};

run_story ordered(const std::vector<std::string>& sisters = {}) {
  run_story s;
  BOOST_TEST_REQUIRE(s.when(model::take_order{order(sisters)}) == "received");
  BOOST_TEST_REQUIRE(s.owes<model::stage_files_in>());
  return s;
}

// The MoM relays that files came, or did not.
std::string stages(job_story& story, bool ok, const std::string& text = "") {
  return story.when(story.report([&](auto m) {
    auto r = m.initRunSteps();
    fill(r.initRef(), story.job, story.job.run);
    r.setFirst(story.job.steps);
    auto f = r.initSteps(1)[0].initStep().initFilesStagedIn();
    f.setOk(ok);
    f.setText(text);
  }),
                    the_server());
}
job_story assigned_with_files() {
  auto story = given(job_phase::queued, {{"stagein", "", "in@store:/data/in"}});
  story.when(propose(), the_scheduler());
  return story;
}
// The third subjob of an array with such files, as it is run.
job_story assigned_subjob() {
  job_story array, subjob;
  array.when(submission(12, {{"array_indices_submitted", "", "1-9"}, {"stagein", "", "in@store:/data/in"}}));
  const auto begun = array.ask(propose_subjob(3), the_scheduler());
  for (const auto& e : begun.born) subjob.happens(e, the_scheduler());
  return subjob;
}
constexpr const char* what_scp_said =
    "Unable to copy file in from store:/in\n>>> error from copy\nscp: no such file\n>>> end error output\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(staging_rules)

BOOST_AUTO_TEST_CASE(the_program_waits_for_its_files) {
  auto s = ordered();
  BOOST_TEST(!s.owes<model::start_program>());
  BOOST_TEST(s.when(came) == "filesStagedIn programStarting");
  BOOST_TEST(s.owes<model::start_program>());
  BOOST_TEST(s.owes<model::report_steps>());
  BOOST_TEST(!s.owes<model::stage_files_in>());
  BOOST_TEST(s.when(came) == "");
}

BOOST_AUTO_TEST_CASE(sisters_are_asked_when_the_files_are_there_and_waited_for_from_then_on) {
  auto s = ordered({"n2"});
  s.now_s += 500;
  BOOST_TEST(s.when(came) == "filesStagedIn sistersAsked");
  BOOST_TEST(s.run.join_since_ns == 1'500'000'000'000);
  BOOST_TEST(s.owes<model::ask_sister>());
}

BOOST_AUTO_TEST_CASE(a_run_whose_files_do_not_come_is_refused_and_what_came_is_removed) {
  auto s = ordered();
  BOOST_TEST(s.when(did_not_come) == "filesStagedIn refused");
  BOOST_TEST(s.owes<model::unstage_files>());
  BOOST_TEST(s.owes<model::report_refused>());
  BOOST_TEST(s.when(model::acknowledged{schema::Ack::What::RUN_REFUSED}) == "left");
}

BOOST_AUTO_TEST_CASE(a_run_killed_or_discarded_meanwhile_stops_copying) {
  auto s = ordered();
  BOOST_TEST(s.when(killed()) == "refused");
  BOOST_TEST(s.run.exit_status == 271);
  BOOST_TEST(s.owes<model::unstage_files>());
  BOOST_TEST(s.when(came) == "");

  auto d = ordered();
  BOOST_TEST(d.when(discarded()) == "discarded refused");
  BOOST_TEST(d.owes<model::unstage_files>());  // before it leaves: a MoM that dies must not forget them
  BOOST_TEST(d.when(discarded()) == "left");
  BOOST_TEST(d.owes<model::clean_up>());

  auto both = ordered();  // in one batch: nobody sees it refused
  BOOST_TEST(both.when(killed()) == "refused");
  BOOST_TEST(both.when(discarded()) == "discarded");
  BOOST_TEST(both.owes<model::unstage_files>());
  BOOST_TEST(both.when(discarded()) == "left");

  auto running = ordered();
  running.when(came);
  running.when(model::program_began{{100, 100, 5, "/home"}});
  BOOST_TEST(running.when(discarded()) == "discarded");
  BOOST_TEST(running.when(model::program_over{{0, {}}}) == "programEnded");
  BOOST_TEST(running.owes<model::unstage_files>());
  BOOST_TEST(!running.owes<model::report_exited>());
  BOOST_TEST(running.when(discarded()) == "left");
}

BOOST_AUTO_TEST_CASE(a_job_shows_that_its_files_are_on_their_way) {
  auto story = assigned_with_files();
  BOOST_TEST(story.state() == "R 15");
  BOOST_TEST(story.comment() == "");
  BOOST_TEST(stages(story, true) == "runStep");
  BOOST_TEST(stages(story, true) == "runStep");  // the next step, whatever it is; the first is not taken again
  BOOST_TEST(story.state() == "R 41");
  story.starts();
  BOOST_TEST(story.comment().starts_with("Job run at "));
}

BOOST_AUTO_TEST_CASE(a_job_whose_files_did_not_come_waits_for_half_an_hour_as_if_it_had_not_run) {
  auto story = assigned_with_files();
  stages(story, false, what_scp_said);
  BOOST_TEST(model::why_files_are_missing(story.job) == "");
  BOOST_TEST(story.refuses(-3) == "startFailed vnodesReleased requeued");
  BOOST_TEST(story.state() == "W 37");
  BOOST_TEST(model::why_files_are_missing(story.job) ==
             "Its files could not be copied: Unable to copy file in from store:/in; scp: no such file. It is tried again then.");
  BOOST_TEST(story.attribute(ids::Execution_Time) == std::to_string(story.now_s + 1800));
  for (const auto id : {ids::Exit_status, ids::comment, ids::run_count, ids::exec_vnode}) BOOST_TEST(story.attribute(id) == "");
  BOOST_TEST(story.when(model::end_wait{}, the_server()) == "");
  BOOST_TEST(story.later(1800).when(model::end_wait{}, the_server()) == "waitEnded");
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(model::why_files_are_missing(story.job) == "");
  story.when(propose(), the_scheduler());
  BOOST_TEST(story.state() == "R 15");
  BOOST_TEST(story.attribute(ids::run_count) == "1");
  BOOST_TEST(story.job.run == 2u);
}

BOOST_AUTO_TEST_CASE(a_subjob_whose_files_did_not_come_says_which_for_the_comment_of_its_array) {
  auto story = assigned_subjob();
  BOOST_TEST(story.state() == "R 15");
  stages(story, false, what_scp_said);
  BOOST_TEST(story.refuses(-3) == "startFailed vnodesReleased requeued forgotten");
  const auto requeued = story.history.at(story.history.size() - 2).second.get().getJob().getRequeued();
  BOOST_TEST(requeued.getWaitUntil() > 0);
  BOOST_TEST(schema::str(requeued.getComment()) ==
             "Subjob 3 requeued, its files could not be copied: Unable to copy file in from store:/in; scp: no such file");
}

BOOST_AUTO_TEST_CASE(a_job_that_is_not_wanted_any_more_does_not_wait) {
  auto story = assigned_with_files();
  story.when(remove());
  stages(story, false);
  BOOST_TEST(story.refuses(-3) == "startFailed vnodesReleased ended");
  BOOST_TEST(story.comment() == "");

  auto again = assigned_with_files();
  stages(again, false);
  again.when(rerun(), operator_());
  BOOST_TEST(again.refuses(-3) == "startFailed vnodesReleased requeued");
  BOOST_TEST(again.state() == "Q 10");
}

BOOST_AUTO_TEST_CASE(a_new_execution_time_is_waited_for_as_any_other) {
  auto story = assigned_with_files();
  stages(story, false);
  story.refuses(-3);
  story.when(alter({{"Execution_Time", "", std::to_string(story.now_s + 60)}}));
  BOOST_TEST(story.state() == "W 30");
}

BOOST_AUTO_TEST_CASE(starts_are_counted_from_what_the_owner_said) {
  auto story = given(job_phase::queued, {{"run_count", "", "3"}});
  story.when(propose(), the_scheduler());
  BOOST_TEST(story.attribute(ids::run_count) == "4");
}

BOOST_AUTO_TEST_SUITE_END()
