// What `pbs_audit hosts` counts.
#include <boost/test/unit_test.hpp>

#include "test/unit/tools/audit/startup_story.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/host_report.hpp"

using namespace annals;
using namespace annals::audit;

namespace {

struct story : test::startup_story {
  bool sound = true;
  std::string told(hosts_wanted wanted = {}) {
    if (wanted.to == 0) wanted.to = last();
    std::string text;
    sound = tell_hosts(
        store, wanted,
        [&](const std::string& more) {
          text += more;
          return true;
        },
        [] { return true; });
    return text;
  }
  // A start that c spoils, one that goes well, and one whose b is lost later.
  void three_jobs() {
    auto job = submit();
    assign(job, {"a", "b", "c"});
    joined(job, "b");
    failed(job, "c", 15169, "a hook says no");
    refused(job, -16, "job_start_error 15169 from node c could not JOIN_JOB successfully");
    requeued(job);
    assign(job, {"a", "b"});
    joined(job, "b");
    started(job);
    exited(job, 0);
    ended(job);
    job = submit("all");
    assign(job, {"a", "b", "c"});
    joined(job, "b");
    alarm(job);
    failed(job, "c", 15059, "did not join in time");
    started(job);
    later(1000);
    failed(job, "b", 15059, "the host no longer has the job");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(failing_hosts, story)

BOOST_AUTO_TEST_CASE(the_worst_host_is_first_and_who_never_failed_is_shown_when_asked_for) {
  three_jobs();
  const auto at_b = time_text(now_ns()), at_c = time_text(now_ns() - 1000 * ms);
  const std::string head = "host   starts  spoiled    later  the last time\n";
  const auto failed = "c           2        2        0  " + at_c + "  2.borg run 1, code 15059: did not join in time\n" +
                      "b           3        0        1  " + at_b + "  2.borg run 1, code 15059: the host no longer has the job\n";
  BOOST_TEST(told() == head + failed);
  BOOST_TEST(told({.all = true}) == head + failed + "a           3        0        0\n");
  BOOST_TEST(sound);
}

BOOST_AUTO_TEST_CASE(a_first_host_is_to_blame_when_no_other_is_and_nobody_wanted_it) {
  const auto job = submit();
  const auto try_on = [&](const std::string& host, auto&& happens) {
    assign(job, {host});
    happens();
    requeued(job);
  };
  try_on("full", [&] { refused(job, -3, "no space left"); });
  try_on("dead", [&] {
    started(job, 0);
    exited(job, -4, false);
  });
  try_on("died", [&] {
    started(job);
    exited(job, -4, false);
  });
  try_on("scriptless", [&] { refused(job, -40, "the server has lost its script"); });
  try_on("no_files", [&] {
    step(job, [](auto s) { s.initFilesStagedIn().setOk(false); });
    refused(job, -3, "files");
  });
  try_on("deleted", [&] {
    write(job, [](auto e) { e.initJob().initDeleteRequested(); });
    refused(job, -3, "killed");
  });
  try_on("forced", [&] {
    write(job, [](auto e) { e.initJob().initRerunRequested().setForce(true); });
    started(job, 0);
    exited(job, -11, false);
  });
  const auto text = told();
  BOOST_TEST(text.find("dead        1        1        0  ") != std::string::npos, text);
  BOOST_TEST(text.find("full        1        1        0  ") != std::string::npos, text);
  BOOST_TEST(text.find("died        1        0        1  ") != std::string::npos, text);
  for (const char* innocent : {"scriptless", "no_files", "deleted", "forced"})
    BOOST_TEST(text.find(innocent) == std::string::npos, innocent);
}

BOOST_AUTO_TEST_CASE(a_host_fails_once_in_a_run_and_again_in_the_next) {
  const auto job = submit("all");
  for (int i = 0; i < 2; ++i) {
    assign(job, {"a", "b"});
    failed(job, "b", 15059, "no contact");
    started(job);
    left(job, "b", true);
    exited(job, 0);
    requeued(job);
  }
  BOOST_TEST(told().find("b           2        2        0  ") != std::string::npos, told());
}

BOOST_AUTO_TEST_CASE(a_failure_counts_where_it_stands_although_its_run_began_before) {
  auto job = submit();
  assign(job, {"a", "b"});
  joined(job, "b");
  started(job);
  const auto since = last() + 1;
  failed(job, "b", 15059, "no contact");
  exited(job, -4);
  requeued(job);
  const auto until = last();
  assign(job, {"a", "b"});
  failed(job, "b", 15169, "a hook says no");
  const auto text = told({.from = since, .to = until});
  BOOST_TEST(text.find("b           0        0        1  ") != std::string::npos, text);
  BOOST_TEST(text.find("1.borg run 1, code 15059: no contact\n") != std::string::npos, text);
  BOOST_TEST(told({.from = last() + 1}) == "no host has failed\n");
  BOOST_TEST(told({.to = since - 1}) == "no host has failed\n");
}

BOOST_AUTO_TEST_CASE(what_can_not_be_read_of_a_run_that_began_before_is_told) {
  const auto job = submit();
  assign(job, {"a", "b"});
  const auto since = last() + 1;
  failed(job, "b", 15059, "no contact");
  log::memory_event_store bad;
  BOOST_REQUIRE(store.read(1, [&](std::uint64_t sequence, ports::byte_span bytes) {
    ports::write_batch batch;
    batch.records.push_back({sequence, job, sequence, {bytes.begin(), bytes.end()}});
    if (sequence == 2) batch.records[0].bytes[60] ^= std::byte{1};
    return static_cast<bool>(bad.append(batch));
  }));
  std::string text;
  const auto print = [&](const std::string& more) {
    text += more;
    return true;
  };
  BOOST_TEST(!tell_hosts(bad, {.from = since, .to = since}, print, [] { return true; }));
  BOOST_TEST(text.find("#" + std::to_string(since) + "  DAMAGED  what came before it in its stream: ") == 0u, text);
  text.clear();
  BOOST_TEST(!tell_hosts(bad, {.from = 1, .to = since}, print, [] { return false; }));
  BOOST_TEST(text == "");  // interrupted: no count at all
}

BOOST_AUTO_TEST_CASE(forgotten_jobs_count_and_an_empty_log_has_no_hosts) {
  BOOST_TEST(told() == "no host has failed\n");
  BOOST_TEST(told({.all = true}) == "no job was started\n");
  BOOST_TEST(told({.json = true}) == "{\"hosts\":[]}\n");
  const auto job = submit();
  assign(job, {"a"});
  refused(job, -3, "no space left");
  ended(job);
  forgotten(job);
  BOOST_TEST(told().find("a           1        1        0  ") != std::string::npos, told());
}

BOOST_AUTO_TEST_CASE(as_json_it_is_one_object) {
  const auto job = submit();
  assign(job, {"a", "b"});
  failed(job, "b", 15059, "no contact");
  BOOST_TEST(told({.all = true, .json = true}) ==
             "{\"hosts\":[{\"host\":\"b\",\"starts\":1,\"spoiled\":1,\"failedLater\":0,\"last\":{\"atNs\":" + std::to_string(now_ns()) +
                 ",\"job\":\"1.borg\",\"run\":1,\"code\":15059,\"text\":\"no contact\"}},"
                 "{\"host\":\"a\",\"starts\":1,\"spoiled\":0,\"failedLater\":0}]}\n");
}

BOOST_AUTO_TEST_SUITE_END()
