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
