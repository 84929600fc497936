// What `pbs_audit startup` says of the starts of a job.
#include <boost/test/unit_test.hpp>

#include "test/unit/tools/audit/startup_story.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/startup_report.hpp"

using namespace annals;
using namespace annals::audit;

namespace {

const std::string head = "  host      joined    prologue      failed      let go        left\n";
const std::string joined_a = "  a     first host           -           -           -           -\n";

struct story : test::startup_story {
  jobs_told end;
  std::string told(const std::string& id, bool json = false) { return told(store, id, json); }
  std::string told(const ports::event_store& from, const std::string& id, bool json = false) {
    std::string text;
    end = tell_startup(
        from, *values::parse_job_id(id), json,
        [&](const std::string& more) {
          text += more;
          return true;
        },
        [] { return true; });
    return text;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(startup, story)

BOOST_AUTO_TEST_CASE(a_job_on_one_host_has_one_line_for_each_start) {
  const auto job = submit();
  const auto first = now_ns();
  assign(job, {"a"});
  later(20);
  started(job);
  exited(job, 0);
  BOOST_TEST(told("1") == "job 1.borg\nrun 1  from " + time_text(first) + " on a: started after 0.020 s, exit status 0\n");
  BOOST_TEST(end.jobs == 1u);
  BOOST_TEST(end.sound);
}

BOOST_AUTO_TEST_CASE(hosts_say_when_they_joined_and_left) {
  const auto job = submit();
  const auto from = now_ns();
  assign(job, {"a", "b", "c"});
  later(120);
  joined(job, "b");
  later(1030);
  joined(job, "c");
  later(50);
  started(job);
  later(60000);
  left(job, "b");
  later(1000);
  left(job, "c");
  exited(job, 5);
  BOOST_TEST(told("1") == "job 1.borg\nrun 1  from " + time_text(from) + " on 3 hosts: started after 1.300 s, exit status 5\n" + head +
                              joined_a +
                              "  b        0.120 s           -           -           -    61.200 s\n"
                              "  c        1.150 s           -           -           -    62.200 s\n");
}

BOOST_AUTO_TEST_CASE(hosts_say_when_their_prologue_hooks_are_over) {  // RS-123
  const auto job = submit();
  const auto from = now_ns();
  assign(job, {"a", "b", "c"});
  later(120);
  joined(job, "b");
  joined(job, "c");
  later(500);
  ready(job, "c");
  later(80);
  failed(job, "b", 15169, "a hook says no");
  BOOST_TEST(told("1") == "job 1.borg\nrun 1  from " + time_text(from) + " on 3 hosts: on its way\n" + head + joined_a +
                              "  b        0.120 s           -     0.700 s           -           -  before the program started, code "
                              "15169: a hook says no\n"
                              "  c        0.120 s     0.620 s           -           -           -\n");
  BOOST_TEST(told("1", true).find("\"prologueNs\":" + std::to_string(now_ns() - 80 * ms)) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_start_that_bears_nothing_is_refused_and_the_next_run_is_another_start) {
  const auto job = submit();
  const auto first = now_ns();
  assign(job, {"a", "b", "c"});
  later(120);
  joined(job, "b");
  later(80);
  failed(job, "c", 15169, "a hook says no");
  left(job, "c");
  left(job, "b");
  refused(job, -16, "job_start_error 15169 from node c could not JOIN_JOB successfully");
  requeued(job);
  later(5000);
  const auto second = now_ns();
  assign(job, {"a", "b"});
  BOOST_TEST(
      told("1") ==
      "job 1.borg\nrun 1  from " + time_text(first) +
          " on 3 hosts: did not start, code -16 after 0.300 s: "
          "job_start_error 15169 from node c could not JOIN_JOB successfully\n" +
          head + joined_a +
          "  b        0.120 s           -           -           -     0.200 s\n"
          "  c             no           -     0.200 s           -     0.200 s  before the program started, code 15169: a hook says no\n"
          "run 2  from " +
          time_text(second) + " on 2 hosts: on its way\n" + head + joined_a +
          "  b     waited for           -           -           -           -\n");
}

BOOST_AUTO_TEST_CASE(failures_that_are_borne_are_named) {
  const auto job = submit("all");
  const auto from = now_ns();
  assign(job, {"a", "b", "c", "d"});
  joined(job, "b");
  joined(job, "c");
  later(2000);
  alarm(job);
  failed(job, "d", 15059, "did not join in time");
  later(100);
  started(job);
  later(7900);
  failed(job, "c", 15059, "the host no longer has the job");
  left(job, "b");
  left(job, "c");
  left(job, "d", true);
  BOOST_TEST(told("1") == "job 1.borg\nrun 1  from " + time_text(from) +
                              " on 4 hosts, tolerate_node_failures=all: started after 2.200 s, 2 failures borne\n" + head + joined_a +
                              "  b        0.000 s           -           -           -    10.000 s\n"
                              "  c        0.000 s           -    10.000 s           -    10.000 s  while the program ran, borne, code "
                              "15059: the host no longer has "
                              "the job\n"
                              "  d             no           -     2.000 s           -           -  before the program started, borne, code "
                              "15059: did not join in "
                              "time\n");
}

BOOST_AUTO_TEST_CASE(hosts_that_a_run_goes_on_without_are_shown_as_let_go) {  // RS-84, RS-89
  const auto job = submit("job_start");
  const auto from = now_ns();
  assign(job, {"a", "b", "c", "d"});
  joined(job, "b");
  joined(job, "d");
  later(2000);
  alarm(job);
  failed(job, "c", 15059, "did not join in time");
  later(10);
  reduced(job, "a/0+b/0");
  later(90);
  left(job, "c", true);
  started(job);
  left(job, "d", true);
  const auto text = told("1");
  BOOST_TEST(text ==
             "job 1.borg\nrun 1  from " + time_text(from) +
                 " on 4 hosts, tolerate_node_failures=job_start: started after 2.200 s, 1 failure borne, 2 hosts let go\n" + head +
                 joined_a +
                 "  b        0.000 s           -           -           -           -\n"
                 "  c             no           -     2.000 s     2.010 s           -  before the program started, borne, code "
                 "15059: did not join in time\n"
                 "  d        0.000 s           -     2.100 s     2.010 s           -  given up after it was let go: the job was not "
                 "gone from there in time\n");
  const auto json = told("1", true);
  BOOST_TEST(json.find("\"letGoNs\":" + std::to_string(from + 2110 * ms)) != std::string::npos, json);
}

BOOST_AUTO_TEST_CASE(with_job_start_a_later_loss_is_not_borne) {
  const auto job = submit("job_start");
  assign(job, {"a", "b", "c"});
  failed(job, "b", 15059, "no contact");
  joined(job, "c");
  started(job);
  failed(job, "c", 15059, "no contact");
  exited(job, -4);
  const auto text = told("1");
  BOOST_TEST(text.find("job_start: started after 0.100 s, 1 failure borne, exit status -4\n") != std::string::npos, text);
  BOOST_TEST(text.find("before the program started, borne, code 15059: no contact\n") != std::string::npos, text);
  BOOST_TEST(text.find("while the program ran, code 15059: no contact\n") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(spare_chunks_imply_what_is_borne) {  // RS-25, RS-27, RS-36
  const std::pair<const char*, const char*> implied[] = {{"select_reliable_startup", "all"}, {"rjselect", "job_start"}};
  for (const auto& [resource, word] : implied) {
    const auto job = submit("Resource_List", resource, "3:ncpus=1");
    assign(job, {"a", "b", "c"});
    failed(job, "b", 15059, "no contact");
    const auto text = told(std::to_string(number));
    BOOST_TEST(text.find(std::string(", tolerate_node_failures=") + word + " by " + resource + ": ") != std::string::npos, text);
    BOOST_TEST(text.find("borne, code 15059: no contact\n") != std::string::npos, text);
    alter(job, "none");
    assign(job, {"a", "b", "c"});
    failed(job, "c", 15059, "no contact");
    const auto none = told(std::to_string(number));
    BOOST_TEST(none.find(", tolerate_node_failures=none: ") != std::string::npos, none);
  }
}

BOOST_AUTO_TEST_CASE(what_counts_is_the_value_that_the_run_was_assigned_with) {
  const auto job = submit("all");
  alter(job, "");
  assign(job, {"a", "b"});
  alter(job, "all");
  failed(job, "b", 15059, "no contact");
  const auto text = told("1");
  BOOST_TEST(text.find("tolerate_node_failures") == std::string::npos, text);
  BOOST_TEST(text.find("borne") == std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(a_start_that_overtakes_its_steps_does_not_make_a_host_fail_later) {
  const auto job = submit("job_start");
  assign(job, {"a", "b", "c", "d"});
  started(job);  // told first after a link was away
  joined(job, "b");
  failed(job, "b", 15059, "the host no longer has the job");
  failed(job, "c", 15059, "no contact");
  joined(job, "d");
  const auto text = told("1");
  BOOST_TEST(text.find("2 failures borne") != std::string::npos, text);
  BOOST_TEST(text.find("while the program ran") == std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(a_host_that_keeps_the_job_too_long_is_given_up_and_the_first_hosts_own_tasks_are_no_other_host) {
  const auto job = submit();
  assign(job, {"a", "b"});
  joined(job, "b");
  started(job);
  ask(job, {"a"});
  joined(job, "a");
  left(job, "a");
  left(job, "b", true);
  exited(job, 0);
  const auto text = told("1");
  BOOST_TEST(text.find(joined_a + "  b        0.000 s           -     0.000 s           -           -  given up at the end: the job was "
                                  "not gone from there in time\n") != std::string::npos,
             text);
}

BOOST_AUTO_TEST_CASE(a_first_host_that_refuses_or_is_lost_is_named) {
  const auto job = submit();
  assign(job, {"a"});
  later(10);
  refused(job, -3, "no space left");
  requeued(job);
  assign(job, {"a", "b"});
  joined(job, "b");
  later(30000);
  started(job, 0);
  exited(job, -4, false);
  requeued(job);
  assign(job, {"a"});
  later(40);
  started(job);
  later(60);
  exited(job, -4, false);
  const auto text = told("1");
  BOOST_TEST(text.find(" on a: did not start, code -3 after 0.010 s: no space left\n") != std::string::npos, text);
  BOOST_TEST(text.find(" on 2 hosts: lost after 30.100 s, before anybody knew that it had started\n") != std::string::npos, text);
  BOOST_TEST(
      text.find(
          "  a     first host           -    30.100 s           -           -  before the program started, code -4: the run was lost\n") !=
          std::string::npos,
      text);
  BOOST_TEST(text.find(" on a: started after 0.040 s, exit status -4\n") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(a_start_that_a_person_ends_is_nobodys_failure) {
  const auto job = submit();
  assign(job, {"a", "b"});
  write(job, [](auto e) { e.initJob().initDeleteRequested().setForce(true); });
  started(job, 0);
  exited(job, 265, false);
  const auto text = told("1");
  BOOST_TEST(text.find("given up by force after 0.100 s, before anybody knew that it had started\n") != std::string::npos, text);
  BOOST_TEST(text.find("code") == std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(forgotten_jobs_are_told_and_unknown_ones_and_empty_logs_are_nothing) {
  BOOST_TEST(told("1") == "");
  BOOST_TEST(end.jobs == 0u);
  BOOST_TEST(end.sound);
  submit();
  BOOST_TEST(told("1") == "job 1.borg\nit has not run\n");
  const auto job = submit();
  assign(job, {"a"});
  started(job);
  exited(job, 0);
  ended(job);
  forgotten(job);
  BOOST_TEST(told("2.borg").find(" on a: started after 0.000 s, exit status 0\n") != std::string::npos);
  BOOST_TEST(told("3") == "");
  BOOST_TEST(end.jobs == 0u);
}

BOOST_AUTO_TEST_CASE(as_json_each_start_is_an_object_with_its_hosts) {
  const auto job = submit("job_start");
  const auto from = now_ns();
  assign(job, {"a", "b", "c"});
  joined(job, "b");
  failed(job, "c", 15059, "no \"contact\"");
  started(job);
  const auto at = std::to_string(from), asked = std::to_string(from + 100 * ms);
  BOOST_TEST(told("1", true) == "{\"job\":\"1.borg\",\"starts\":[{\"run\":1,\"assignedNs\":" + at +
                                    ",\"tolerateNodeFailures\":\"job_start\",\"askedNs\":" + asked + ",\"end\":\"started\",\"endNs\":" +
                                    asked + ",\"hosts\":[{\"host\":\"a\"},{\"host\":\"b\",\"joinedNs\":" + asked +
                                    "},{\"host\":\"c\",\"failed\":{\"when\":\"beforeStart\",\"atNs\":" + asked +
                                    ",\"code\":15059,\"text\":\"no \\\"contact\\\"\",\"borne\":true}}]}]}\n");
}

BOOST_AUTO_TEST_CASE(what_hosts_said_cannot_steer_the_terminal_and_damage_is_told) {
  const auto job = submit();
  assign(job, {"a", "b"});
  failed(job, "b", 15169, "\x1b[2Jgone");
  BOOST_TEST(told("1").find("code 15169: \\x1b[2Jgone\n") != std::string::npos);
  log::memory_event_store bad;
  BOOST_REQUIRE(store.read(1, [&](std::uint64_t sequence, ports::byte_span bytes) {
    ports::write_batch batch;
    batch.records.push_back({sequence, job, sequence, {bytes.begin(), bytes.end()}});
    if (sequence == 3) batch.records[0].bytes[60] ^= std::byte{1};
    return static_cast<bool>(bad.append(batch));
  }));
  const auto text = told(bad, "1");
  BOOST_TEST(text.find("#3  DAMAGED") == 0u, text);
  BOOST_TEST(!end.sound);
  BOOST_TEST(end.jobs == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
