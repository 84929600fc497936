// The site's prologue and epilogue.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "host_fixture.hpp"

using namespace annals;
using test::host_fixture;

namespace {

struct site_fixture : host_fixture {
  const values::run_key key = test::run_of("4.b.1");
  void site(const std::string& name, const std::string& text, unsigned mode = 0755) {
    test::write_whole(home() + "/mom_priv/" + name, "#!/bin/sh\n" + text, mode);
  }
  ports::run_order job() const {
    auto o = script(key, "echo body");
    o.group = "";
    o.job_name = "name";
    o.queue = "workq";
    o.resource_list = "ncpus=1,place=free,walltime=00:01:40";
    return o;
  }
  std::string prologue() const { return home() + "/mom_priv/prologue"; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(site_scripts, site_fixture)

BOOST_AUTO_TEST_CASE(prologue_and_epilogue_run_around_the_job_and_write_to_its_files) {
  site("prologue", "echo prologue \"$@\" \"$PBS_JOBDIR\" $(pwd)\necho to stderr >&2\ncat\n");
  // What was used may be more than nothing on a busy machine.
  site("epilogue",
       "shift 3; used=$(echo \"$4\" | sed -E 's/(cpupercent=|=)[0-9:]+/\\1N/g')\n"
       "echo epilogue \"$1\" \"$3\" \"$used\" \"$5\" \"$6\" \"$7\" $(pwd)\n");
  BOOST_TEST(run(job()).exit_status == 0);
  BOOST_TEST(
      stdout_of(key) ==
      "prologue 4.b " + test::own_user() + "  " + work() + ' ' + home() + "/mom_priv\nbody\n" +
          "epilogue name ncpus=1,place=free,walltime=00:01:40 cpupercent=N,cput=N,mem=Nkb,ncpus=N,vmem=Nkb,walltime=N workq null 0 " +
          work() + '\n');
  BOOST_TEST(stderr_of(key) == "to stderr\n");
  const auto log = so_far(key).log;
  BOOST_REQUIRE(log.size() == 2u);
  BOOST_TEST(log[0] == "running prologue");
  BOOST_TEST(log[1] == "running epilogue");
}

BOOST_AUTO_TEST_CASE(a_prologue_that_ends_with_1_ends_the_job) {
  site("prologue", "exit 1");
  site("epilogue", "echo epilogue ${10} session $5");
  const auto failed = run_failing(job());
  BOOST_TEST(failed.code == -2);
  BOOST_TEST(failed.text == "pro/epilogue failed, file: " + prologue() + ", exit: 1, nonzero p/e exit status");
  BOOST_TEST(stderr_of(key) == "Could not run prolog: " + failed.text + '\n');
  BOOST_TEST(stdout_of(key) == "epilogue -2 session 0\n");
  BOOST_TEST(so_far(key).started.empty());
}

BOOST_AUTO_TEST_CASE(a_prologue_that_ends_otherwise_may_be_tried_again) {
  site("prologue", "exit 2");
  BOOST_TEST(run_failing(job()).code == -3);
}

BOOST_AUTO_TEST_CASE(a_prologue_that_others_may_write_to_is_not_run) {
  site("prologue", "touch " + work() + "/ran", 0777);
  const auto failed = run_failing(job());
  BOOST_TEST(failed.code == -3);
  BOOST_TEST(failed.text == "pro/epilogue failed, file: " + prologue() + ", exit: -1, Permission Error");
  BOOST_TEST(access((work() + "/ran").c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(a_prologue_that_takes_too_long_is_killed) {
  site("prologue", "echo $$ > " + work() + "/pid; sleep 1000 & wait");
  const auto pid = [&] { return test::read_whole(work() + "/pid"); };
  for (unsigned alarm = 1; alarm <= 64 && !pid().ends_with('\n'); alarm *= 2) {  // a busy machine may not come so far in a second
    auto o = job();
    o.key = values::run_key{"4.b", alarm};
    o.prologue_alarm_s = alarm;
    const auto failed = run_failing(o);
    BOOST_TEST(failed.code == -3);
    BOOST_TEST(failed.text.find("exit: -4, nonzero p/e exit status") != std::string::npos, failed.text);
    forget_and_wait(o.key);
  }
  BOOST_REQUIRE(pid().ends_with('\n'));
  BOOST_TEST(!test::alive(std::stol(pid())));
}

BOOST_AUTO_TEST_CASE(a_failing_epilogue_changes_nothing_but_the_log) {
  site("epilogue", "exit 3");
  BOOST_TEST(run(job()).exit_status == 0);
  BOOST_TEST(so_far(key).log.back() ==
             "pro/epilogue failed, file: " + home() + "/mom_priv/epilogue, exit: 3, nonzero p/e exit status");
}

BOOST_AUTO_TEST_CASE(an_epilogue_runs_though_the_job_removed_its_directory) {
  site("epilogue", "pwd");
  auto o = script(key, "rmdir " + work() + "/gone");
  o.jobdir = work() + "/gone";
  std::filesystem::create_directory(o.jobdir);
  run(o);
  BOOST_TEST(stdout_of(key) == home() + "/mom_priv\n");
}

BOOST_AUTO_TEST_CASE(a_signal_during_the_prologue_reaches_the_program) {
  site("prologue", "echo ready; while [ ! -e " + work() + "/go ]; do sleep 0.01; done");
  auto o = script(key, "while :; do sleep 1000; done");
  start(o);
  test::wait_until([&] { return stdout_of(key) == "ready\n"; }, "the prologue");
  host->signal(key, SIGKILL);
  test::write_whole(work() + "/go", "");
  BOOST_TEST(wait_ended(key).ended.at(0).exit_status == 256 + SIGKILL);
}

BOOST_AUTO_TEST_CASE(forgetting_during_the_prologue_ends_it) {
  site("prologue", "echo $$; sleep 1000");
  start(job());
  test::wait_until([&] { return !stdout_of(key).empty(); }, "the prologue");
  const long pid = std::stol(stdout_of(key));
  forget_and_wait(key);
  BOOST_TEST(!test::alive(pid));
}

BOOST_AUTO_TEST_SUITE_END()
