// Job arrays: docs/design/0057-job-arrays.md; pbs guide, "job arrays". What becomes of them in long stories is tried with their reaction
// (test/unit/actors/server/reactions/arrays_test.cpp).
#include <boost/test/unit_test.hpp>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
namespace ids = attributes::job;

namespace {

given_values with_indices(const char* indices, given_values more = {}) {
  more.push_back({"array_indices_submitted", "", indices});
  return more;
}

job_story array_of(const char* indices, given_values more = {}) {
  job_story story;
  story.when(submission(12, with_indices(indices, std::move(more))));
  return story;
}

model::proposed_run run_of(std::uint32_t index, bool asked = false) {
  auto proposed = propose_subjob(index);
  if (!asked) return proposed;
  return {proposed.message, "", true};
}

template <class Fill>
model::client_request about(Fill fill_it) { return {make_request(fill_it)}; }
model::client_request deletes(const char* id) {
  return about([&](auto r) { r.initDeleteJob().setJob(id); });
}
model::client_request reruns(const char* id) {
  return about([&](auto r) { r.initRerunJob().setJob(id); });
}
model::client_request signals(const char* id) {
  return about([&](auto r) {
    auto s = r.initSignalJob();
    s.setJob(id);
    s.setSignal("TERM");
  });
}

std::string left(job_story& story, std::uint32_t index, bool failed = false) {
  return story.when(model::subjob_told{.index = index, .run = 1, .failed = failed}, the_server());
}
std::string remaining(const job_story& story) { return story.job.array->remaining.print(); }

// What the subjob is that is born.
model::job_state born(const model::outcome& o) {
  model::job_state subjob;
  std::uint64_t version = 0;
  for (const auto& e : o.born) model::apply(subjob, {1, 8, ++version, 1'795'222'000'000'000'000, the_scheduler()}, e.get());
  return subjob;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(job_arrays)

BOOST_AUTO_TEST_CASE(an_array_is_one_job) {
  const auto story = array_of("1-8:2");
  BOOST_TEST(story.job.id == "12[].borg");
  BOOST_TEST(story.state() == "Q 10");
  BOOST_TEST(story.attribute(ids::array) == "True");
  BOOST_TEST(story.attribute(ids::array_indices_submitted) == "1-8:2");
  BOOST_TEST(story.attribute(ids::Output_Path).ends_with(".o12.^array_index^"));
  BOOST_TEST(remaining(story) == "1-8:2");
  BOOST_TEST(story.history.size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_refused_at_submission) {
  job_story story;
  const auto refused = [&](given_values s) { return said(story.ask(submission(12, s))); };
  BOOST_TEST(refused(with_indices("1-10001")) == "15107 Array job exceeds server or queue size limit");
  BOOST_TEST(refused(with_indices("3-1")).starts_with("15014"));
  BOOST_TEST(refused(with_indices("1-99999999")).starts_with("15107"));
  BOOST_TEST(refused({{"array", "", "True"}}).starts_with("15231"));
  BOOST_TEST(refused(with_indices("1-3", {{"Resource_List", "min_walltime", "00:01:00"}})).starts_with("15165"));
  BOOST_TEST(refused(with_indices("1-3", {{"create_resv_from_job", "", "True"}})).starts_with("15182"));
  BOOST_TEST(refused({{"max_run_subjobs", "", "3"}}).starts_with("15231"));
  BOOST_TEST(refused({{"indexed_output", "", "True"}}).starts_with("15231"));
  for (const char* kept : {"o", "e", "oed"})
    BOOST_TEST(refused(with_indices("1-3", {{"indexed_output", "", "True"}, {"Keep_Files", "", kept}})).starts_with("15014"));
  story.settings.server.set(attributes::server::max_array_size, "3");
  BOOST_TEST(refused(with_indices("1-4")).starts_with("15107"));
  BOOST_TEST(refused(with_indices("1-7:3")) == "queued");
  story.settings.queues["workq"].attributes.set(attributes::queue::max_array_size, "2");
  BOOST_TEST(refused(with_indices("1-3")).starts_with("15107"));
}

BOOST_AUTO_TEST_CASE(a_subjob_is_born_with_its_run) {
  auto story = array_of("1-3", {{"max_run_subjobs", "", "2"}, {"Output_Path", "", "borg:/home/user1/o_^array_index^.txt"}});
  const auto begun = story.ask(run_of(2), the_scheduler());
  BOOST_TEST(said(begun) == "subjobBegan");
  const auto subjob = born(begun);
  BOOST_TEST(subjob.id == "12[2].borg");
  BOOST_TEST(subjob.is_subjob());
  BOOST_TEST(subjob.run == 1u);
  BOOST_TEST(model::state_letter(subjob) == 'R');
  BOOST_TEST(subjob.attribute(ids::array_id) == "12[].borg");
  BOOST_TEST(subjob.attribute(ids::array_index) == "2");
  BOOST_TEST(subjob.attribute(ids::Output_Path) == "borg:/home/user1/o_2.txt");
  BOOST_TEST(subjob.attribute(ids::Error_Path).ends_with(".e12.2"));
  BOOST_TEST(subjob.attribute(ids::qtime) == story.attribute(ids::qtime));
  for (const auto id : {ids::array, ids::max_run_subjobs, ids::array_indices_submitted, ids::Submit_arguments})
    BOOST_TEST(!subjob.attributes.has(id));
  story.when(run_of(2), the_scheduler());
  BOOST_TEST(story.state() == "B 70");
  BOOST_TEST(story.comment().starts_with("Job Array Began at "));
  BOOST_TEST(remaining(story) == "1,3");
  BOOST_TEST(said(story.ask(run_of(2), the_scheduler())).starts_with("15016"));
  story.when(run_of(1), the_scheduler());
  BOOST_TEST(said(story.ask(run_of(3), the_scheduler())) == "15016 Number of concurrent running subjobs limit reached");
  BOOST_TEST(said(story.ask(propose(), the_scheduler())).starts_with("15016"));  // the array itself is never run
}

BOOST_AUTO_TEST_CASE(one_file_for_all_is_named_as_of_the_array) {  // indexed_output
  auto story = array_of("1-3", {{"indexed_output", "", "True"}, {"Keep_Files", "", "n"}, {"stageout", "", "r@borg:r.^array_index^"}});
  const auto subjob = born(story.ask(run_of(2), the_scheduler()));
  BOOST_TEST(subjob.attribute(ids::indexed_output) == "True");
  BOOST_TEST(subjob.attribute(ids::Output_Path).ends_with(".o12.^array_index^"));
  BOOST_TEST(subjob.attribute(ids::Error_Path).ends_with(".e12.^array_index^"));
  BOOST_TEST(subjob.attribute(ids::stageout).ends_with("r.2"));
  BOOST_TEST(said(story.ask(alter({{"indexed_output", "", "False"}}))).starts_with("15014"));
  BOOST_TEST(said(story.ask(alter({{"Keep_Files", "", "oe"}}))).starts_with("15014"));
  BOOST_TEST(said(story.ask(alter({{"Keep_Files", "", "n"}}))) == "altered");
}

BOOST_AUTO_TEST_CASE(a_held_array_begins_no_subjob) {
  auto story = array_of("1-3");
  story.when(run_of(1), the_scheduler());
  const auto began = story.comment();
  BOOST_TEST(story.when(hold({HoldType::USER})) == "held");
  BOOST_TEST(story.state() == "H 20");
  BOOST_TEST(said(story.ask(run_of(2), the_scheduler())).starts_with("15016"));
  BOOST_TEST(story.when(release({HoldType::USER})) == "released");
  BOOST_TEST(story.state() == "B 70");
  BOOST_TEST(story.comment() == began);
}

BOOST_AUTO_TEST_CASE(it_ends_when_all_have) {
  auto story = array_of("1-2");
  story.when(run_of(1), the_scheduler());
  story.when(run_of(2), the_scheduler());
  BOOST_TEST(left(story, 2) == "subjobLeft");
  BOOST_TEST(left(story, 2) == "");  // a repeat
  BOOST_TEST(left(story, 1) == "subjobLeft ended");
  BOOST_TEST(story.state() == "F 92");
  BOOST_TEST(story.attribute(ids::Exit_status) == "0");
  BOOST_TEST(story.comment().ends_with(" and finished"));
}

BOOST_AUTO_TEST_CASE(one_failed_subjob_is_enough) {
  auto story = array_of("1-2");
  story.when(run_of(1), the_scheduler());
  story.when(run_of(2), the_scheduler());
  left(story, 1, true);
  left(story, 2);
  BOOST_TEST(story.state() == "F 93");
  BOOST_TEST(story.attribute(ids::Exit_status) == "1");
}

BOOST_AUTO_TEST_CASE(a_deleted_array_waits_for_what_runs) {
  auto story = array_of("1-5");
  story.when(run_of(1), the_scheduler());
  BOOST_TEST(story.when(deletes("12[].borg")) == "deleteRequested");
  BOOST_TEST(remaining(story) == "-");
  BOOST_TEST(said(story.ask(run_of(2), the_scheduler())).starts_with("15016"));
  BOOST_TEST(story.when(deletes("12[].borg")) == "");
  BOOST_TEST(left(story, 1, true) == "subjobLeft ended");
  BOOST_TEST(story.state() == "F 91");
  BOOST_TEST(story.attribute(ids::Exit_status) == "1");
  auto unbegun = array_of("1-5");
  BOOST_TEST(unbegun.when(deletes("12[].borg")) == "deleteRequested ended");
  BOOST_TEST(unbegun.attribute(ids::Exit_status) == "2");
  BOOST_TEST(said(unbegun.ask(deletes("12[].borg"))).starts_with("15139"));
}

BOOST_AUTO_TEST_CASE(some_subjobs_are_deleted) {
  auto story = array_of("1-5");
  story.when(run_of(1), the_scheduler());
  BOOST_TEST(said(story.ask(deletes("12[7].borg"))).starts_with("15004"));
  BOOST_TEST(said(story.ask(deletes("12[2].borg"), user("other"))).starts_with("15007"));
  BOOST_TEST(story.when(deletes("12[1-3].borg")) == "subjobsAsked");
  BOOST_TEST(remaining(story) == "4-5");
  BOOST_TEST(said(story.ask(deletes("12[2].borg"))).starts_with("15159"));
  BOOST_TEST(left(story, 1, true) == "subjobLeft");
  BOOST_TEST(story.when(deletes("12[4-5].borg")) == "subjobsAsked ended");
  BOOST_TEST(story.state() == "F 93");
}

BOOST_AUTO_TEST_CASE(what_was_deleted_on_its_way_back_does_not_come_back) {
  auto story = array_of("1-2");
  story.when(run_of(1), the_scheduler());
  story.when(deletes("12[1].borg"));
  story.when(model::subjob_told{.index = 1, .run = 1, .requeued = true, .run_count = 1}, the_server());
  BOOST_TEST(remaining(story) == "2");
}

BOOST_AUTO_TEST_CASE(a_requeued_subjob_is_its_arrays_again) {
  auto story = array_of("1-2");
  story.when(run_of(1), the_scheduler());
  BOOST_TEST(story.when(model::subjob_told{.index = 1, .run = 1, .requeued = true, .run_count = 4}, the_server()) == "subjobLeft");
  BOOST_TEST(remaining(story) == "1-2");
  const auto again = born(story.ask(run_of(1), the_scheduler()));
  BOOST_TEST(again.run == 2u);
  BOOST_TEST(again.attribute(ids::run_count) == "5");
}

BOOST_AUTO_TEST_CASE(one_that_fails_to_start_too_often_holds_its_array) {
  auto story = array_of("1-2");
  story.when(run_of(1), the_scheduler());
  BOOST_TEST(story.when(model::subjob_told{.index = 1, .run = 1, .requeued = true, .held = "job held, too many failed attempts to run"},
                        the_server()) == "subjobLeft held");
  BOOST_TEST(story.state() == "H 20");
  BOOST_TEST(story.comment() == "job held, too many failed attempts to run");
}

BOOST_AUTO_TEST_CASE(run_again_as_a_whole_only_what_runs_is_asked) {
  auto story = array_of("1-3");
  BOOST_TEST(said(story.ask(reruns("12[].borg"), operator_())).starts_with("15016"));
  story.when(run_of(1), the_scheduler());
  left(story, 1, true);
  story.when(run_of(2), the_scheduler());
  BOOST_TEST(said(story.ask(reruns("12[].borg"))).starts_with("15007"));
  BOOST_TEST(said(story.ask(reruns("12[1].borg"), operator_())).starts_with("15016"));
  BOOST_TEST(said(story.ask(reruns("12[7].borg"), operator_())).starts_with("15004"));
  BOOST_TEST(story.when(reruns("12[].borg"), operator_()) == "subjobsAsked");
  BOOST_TEST((story.history.back().second.get().getJob().getSubjobsAsked().getIndices() == "2"));
  BOOST_TEST(story.job.array->failed.print() == "1");
}

BOOST_AUTO_TEST_CASE(a_signal_finds_nobody) {
  auto story = array_of("1-5");
  BOOST_TEST(said(story.ask(signals("12[2].borg"))).starts_with("15016"));
  BOOST_TEST(said(story.ask(signals("12[7].borg"))).starts_with("15001"));
}

BOOST_AUTO_TEST_CASE(its_limit_of_subjobs_is_altered) {
  auto story = array_of("1-5");
  BOOST_TEST(story.when(alter({{"max_run_subjobs", "", "0"}})) == "altered");
  BOOST_TEST(said(story.ask(run_of(1), the_scheduler())) == "15016 Number of concurrent running subjobs limit reached");
  BOOST_TEST(said(story.ask(run_of(1, true), operator_())) == "subjobBegan");  // qrun does not ask
  BOOST_TEST(said(story.ask(alter({{"max_run_subjobs", "", "-1"}}))).starts_with("15014"));
  BOOST_TEST(said(story.ask(alter({{"max_run_subjobs", "", ""}}))).starts_with("15014"));
  BOOST_TEST(said(given(model::job_phase::queued).ask(alter({{"max_run_subjobs", "", "2"}}))).starts_with("15231"));
}

BOOST_AUTO_TEST_SUITE_END()
