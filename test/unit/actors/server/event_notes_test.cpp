// The server's log lines of job arrays and their subjobs, as transcripts of a PBS show them.
#include "actors/server/event_notes.hpp"

#include "test/unit/projections/accounting/array_story.hpp"

using namespace annals;
using namespace annals::test;

namespace {

struct noted_array : told_array {
  // Without what comes before the job's id.
  std::vector<std::string> lines() {
    const temporary_directory dir;
    actors::daemon_log to(dir.path, "Server@q1", 0xfff, false);
    actors::event_notes(to).note(log.records);
    std::vector<std::string> all;
    for (const auto& file : std::filesystem::directory_iterator(dir.path)) {
      std::istringstream in(content(file.path()));
      for (std::string line; std::getline(in, line);)
        if (const auto at = line.find(";Job;602["); at != std::string::npos) all.push_back(line.substr(at + 5));
    }
    return all;
  }
  bool has(const std::string& line) {
    const auto all = lines();
    return std::find(all.begin(), all.end(), line) != all.end();
  }
};

using texts = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(notes_of_arrays, noted_array)

BOOST_AUTO_TEST_CASE(a_subjob_comes_to_its_queue_when_it_is_run) {
  submit("1-3");
  auto first = begins(1);
  BOOST_TEST(lines() == (texts{"602[].q1;enqueuing into workq, state Q hop 1",
                               "602[].q1;Job Queued at request of pbsuser@q1, owner = pbsuser@q1, job name = STDIN, queue = workq",
                               "602[1].q1;enqueuing into workq, state Q hop 1",
                               "602[1].q1;Job Run at request of Scheduler@borg on exec_vnode (q1:ncpus=1)"}),
             boost::test_tools::per_element());
  BOOST_TEST(!has("602[1].q1;dequeuing from workq, state Q"));
  first.starts();
  first.when(rerun(), manager());
  first.exits(-11);
  first.leaves();
  leaves(first, {.requeued = true, .run_count = 1});
  begins(1);
  BOOST_TEST(has("602[1].q1;dequeuing from workq, state Q"));
}

BOOST_AUTO_TEST_CASE(a_queued_subjob_that_is_deleted_alone_has_a_line_and_several_have_none) {
  submit("1-6");
  asks(remove_subjobs("602[1]"), owner);
  BOOST_TEST(lines().back() == "602[1].q1;Job to be deleted at request of pbsuser@q1");
  const auto so_far = lines().size();
  asks(remove_subjobs("602[2-3]"), owner);
  BOOST_TEST(lines().size() == so_far);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

// What the log says of the job once this has happened to it, from its delete or its end on.
std::vector<std::string> lines_of_last(job_story& story, const std::string& from) {
  told_log log;
  log.told(story);
  const temporary_directory dir;
  actors::daemon_log to(dir.path, "Server@borg", 0xfff, false);
  actors::event_notes(to).note(log.records);
  std::vector<std::string> all;
  for (const auto& file : std::filesystem::directory_iterator(dir.path)) {
    std::istringstream in(content(file.path()));
    for (std::string line; std::getline(in, line);)
      if (const auto at = line.find(";Job;12.borg;"); at != std::string::npos) all.push_back(line.substr(20, 4) + line.substr(at + 12));
  }
  const auto first = std::find_if(all.begin(), all.end(), [&](const auto& line) { return line.find(from) != std::string::npos; });
  return {first, all.end()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(notes_of_jobs)

BOOST_AUTO_TEST_CASE(a_job_without_history_is_dequeued_at_its_end) {  // golden: job_states.txt
  auto story = given(model::job_phase::started);
  story.settings.server.set(attributes::server::job_history_enable, "False");
  story.when(remove());
  story.exits(271);
  story.leaves();
  const auto lines = lines_of_last(story, "Job sent");
  BOOST_REQUIRE(lines.size() == 5u);
  BOOST_TEST(lines[0] == "0008;Job sent signal TermJob on delete");
  BOOST_TEST(lines[1] == "0008;Job to be deleted at request of user1@borg");
  BOOST_TEST(lines[2] == "0080;Obit received momhop:1 serverhop:1 state:R substate:42");
  BOOST_TEST(lines[4] == "0100;dequeuing from workq, state E");
}

BOOST_AUTO_TEST_CASE(a_job_leaves_its_queue_when_it_leaves_the_history) {  // golden: arrays2.txt
  auto story = given(model::job_phase::finished);
  const auto ended = story;
  BOOST_TEST(lines_of_last(story, "dequeuing").empty());
  story = ended;
  story.when(remove(false, true));
  BOOST_TEST(lines_of_last(story, "Deleting") ==
                 (texts{"0080;Deleting job history upon request from user1@borg", "0100;dequeuing from workq, state F"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_job_that_is_deleted_with_its_history_says_so) {
  auto story = given(model::job_phase::held);
  story.when(remove(false, true));
  BOOST_TEST(lines_of_last(story, "to be deleted") == (texts{"0008;Job to be deleted at request of user1@borg",
                                                             "0080;Also deleted job history", "0100;dequeuing from workq, state E"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(force_kills_or_forgets_the_run) {
  auto story = given(model::job_phase::started);
  const auto before = story;
  story.when(remove(true));
  BOOST_TEST(lines_of_last(story, "Job sent").front() == "0008;Job sent signal SIGKILL on delete");
  story = before;
  story.when(remove(true), manager());
  const auto lines = lines_of_last(story, "Delete forced");
  BOOST_REQUIRE(lines.size() >= 3u);
  BOOST_TEST(lines[1] == "0008;Job to be deleted at request of mgr@borg");
  BOOST_TEST(lines[2] == "0008;Discard running job, Forced Delete ");
}

BOOST_AUTO_TEST_CASE(a_job_that_is_killed_for_a_limit_says_which) {
  auto story = given(model::job_phase::started);
  story.steps([](schema::RunEvent::Builder step) { step.initKillRequested().setWhy("walltime 10 exceeded limit 3"); });
  story.loses_to_the_kernel("Cgroup mem limit exceeded");
  story.exits(137);
  story.leaves();
  const auto lines = lines_of_last(story, "walltime 10");
  BOOST_TEST(lines.front() == "0008;walltime 10 exceeded limit 3");
  BOOST_TEST(lines.back() == "0008;Cgroup mem limit exceeded");
}

BOOST_AUTO_TEST_CASE(a_job_comes_to_its_queue_in_the_state_it_has) {
  auto story = given(model::job_phase::held);
  BOOST_TEST(lines_of_last(story, "enqueuing").front() == "0100;enqueuing into workq, state H hop 1");
}

BOOST_AUTO_TEST_SUITE_END()

// The mask of the daemon's log is the server's attribute, unless the process was given one.
BOOST_AUTO_TEST_CASE(log_events_say_which_lines_are_written) {
  for (const bool follows : {true, false}) {
    const temporary_directory dir;
    actors::daemon_log to(dir.path, "Server@q1", 511, false);
    actors::event_notes notes(to, follows);
    told_log log;
    auto server = log.job();
    server.history.emplace_back(model::event_place{.sequence = 1, .stream = 0, .version = 1, .wall_ns = 1, .by = manager()},
                                model::make_event([](auto e) {
                                  auto c = e.initServer().initChanged().initChanges(1)[0];
                                  c.setName("log_events");
                                  c.setValue("8");
                                }));
    log.told(server);
    notes.note(log.records);
    to.write(actors::log_event::system, "Svr", "x", "a line of the system");
    to.write(actors::log_event::job, "Job", "1.q1", "a line of a job");
    std::string text;
    for (const auto& file : std::filesystem::directory_iterator(dir.path)) text += content(file.path());
    BOOST_TEST((text.find("a line of the system") == std::string::npos) == follows);
    BOOST_TEST(text.find("a line of a job") != std::string::npos);
  }
}
