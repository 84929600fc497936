// Programs run as ordered: status, streams, environment, limits, and nothing of them survives.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <sstream>

#include "actors/mom/host/run_files.hpp"
#include "host_fixture.hpp"

using namespace annals;
using test::host_fixture;

BOOST_FIXTURE_TEST_SUITE(running, host_fixture)

BOOST_AUTO_TEST_CASE(a_program_that_ends_well_is_told_as_started_and_ended) {
  const auto ended = run(order("1.b.1", {"/bin/echo", "hello", "a b"}));
  const auto t = so_far("1.b.1");
  BOOST_TEST(ended.exit_status == 0);
  BOOST_REQUIRE(t.started.size() == 1u);
  BOOST_TEST(t.started[0].session == t.started[0].pid);
  BOOST_TEST(t.started[0].start_ticks > 0u);
  BOOST_TEST(t.started[0].jobdir == work());
  BOOST_TEST(t.ended.size() == 1u);
  BOOST_TEST(t.failed.empty());
  BOOST_TEST(stdout_of("1.b.1") == "hello a b\n");
  BOOST_TEST(stderr_of("1.b.1") == "");
}

BOOST_AUTO_TEST_CASE(a_host_that_rejects_scripts_of_root_starts_none) {
  auto o = order("1.b.1", {"/bin/true"});
  o.not_as_root = true;
  if (geteuid() != 0) {
    BOOST_TEST(run(o).exit_status == 0);
    return;
  }
  const auto failed = run_failing(o);
  BOOST_TEST(failed.code == -3);
  BOOST_TEST(failed.text == "mom not accepting remote hook files or root job scripts");
}

BOOST_AUTO_TEST_CASE(the_exit_code_of_a_program_is_its_status) {
  BOOST_TEST(run(order("1.b.1", {"/bin/sh", "-c", "exit 42"})).exit_status == 42);
}

BOOST_AUTO_TEST_CASE(a_program_killed_by_a_signal_ends_with_256_and_its_number) {
  BOOST_TEST(run(order("1.b.1", {"/bin/sh", "-c", "kill -SEGV $$"})).exit_status == 256 + SIGSEGV);
}

BOOST_AUTO_TEST_CASE(a_signal_reaches_every_process_of_the_run) {
  start(script("1.b.1", "setsid sleep 1000 &\necho ready $!\nwait\nsleep 1000\n"));
  test::wait_until([&] { return stdout_of("1.b.1").starts_with("ready"); }, "the script to be ready");
  host->signal(test::program_of("1.b.1"), SIGTERM);
  const auto t = wait_ended("1.b.1");
  BOOST_TEST(t.ended.at(0).exit_status == 256 + SIGTERM);  // the top shell
  BOOST_TEST(!test::alive(std::stol(stdout_of("1.b.1").substr(6))));
}

struct waiting_program : host_fixture {
  void start_waiting_for_usr1() {
    start(order("1.b.1", {"/bin/sh", "-c", "trap 'echo got it; exit 0' USR1; echo ready; while :; do sleep 0.01; done"}));
    test::wait_until([&] { return stdout_of("1.b.1") == "ready\n"; }, "the program to be ready");
  }
};

// RunRequestDone stands for it (docs/design/0021): a host that dies behind the answer takes nothing back.
BOOST_FIXTURE_TEST_CASE(a_signal_is_confirmed_when_it_is_sent, waiting_program) {
  start_waiting_for_usr1();
  host->signal(test::program_of("1.b.1"), SIGUSR1);
  host->confirm(test::run_of("1.b.1"));
  wait("1.b.1", [](const test::told& t) { return t.acted == 1; });
  crash_mom();
  test::wait_until([&] { return stdout_of("1.b.1") == "ready\ngot it\n"; }, "the signal");
}

BOOST_FIXTURE_TEST_CASE(a_signal_waits_for_the_shepherd_that_an_earlier_mom_began, waiting_program) {
  start_waiting_for_usr1();
  crash_mom();
  new_mom();
  host->adopt(test::program_of("1.b.1"));
  host->signal(test::program_of("1.b.1"), SIGUSR1);
  host->confirm(test::run_of("1.b.1"));
  wait("1.b.1", [](const test::told& t) { return t.acted == 1; });
  wait_ended("1.b.1");
  BOOST_TEST(stdout_of("1.b.1") == "ready\ngot it\n");
}

BOOST_AUTO_TEST_CASE(what_is_asked_of_a_run_that_is_over_or_unknown_is_confirmed) {
  run(order("1.b.1", {"/bin/true"}));
  for (const auto& key : {test::run_of("1.b.1"), test::run_of("7.b.1")}) {
    host->signal(key, SIGTERM);
    host->confirm(key);
    wait(key, [](const test::told& t) { return t.acted == 1; });
  }
}

BOOST_AUTO_TEST_CASE(a_script_is_started_by_its_path_on_a_login_shells_input) {
  BOOST_TEST(run(script("1.b.1", "echo \"$0\"; exit 3")).exit_status == 3);
  BOOST_TEST(stdout_of("1.b.1") == home() + "/mom_priv/jobs/1.b.SC\n");
}

// "1[1].b.SC" of a subjob would be a pattern for the script of job 11.
BOOST_AUTO_TEST_CASE(the_name_of_a_script_is_no_pattern) {
  start(script("11.b.1", "echo ready\nsleep 1000\n"));
  test::wait_until([&] { return stdout_of("11.b.1") == "ready\n"; }, "the other script to be ready");
  BOOST_TEST(run(script("1[1].b.1", "echo own")).exit_status == 0);
  BOOST_TEST(stdout_of("1[1].b.1") == "own\n");
  host->signal(test::program_of("11.b.1"), SIGKILL);
  wait_ended("11.b.1");
}

BOOST_AUTO_TEST_CASE(an_interpreter_line_of_a_script_counts) {
  auto o = order("1.b.1");
  o.script_text = "#!/bin/cat\nmy own text\n";
  BOOST_TEST(run(o).exit_status == 0);
  BOOST_TEST(stdout_of("1.b.1") == "#!/bin/cat\nmy own text\n");
}

BOOST_AUTO_TEST_CASE(an_empty_script_ends_with_0) {
  auto o = order("1.b.1");
  o.script_text = "";
  BOOST_TEST(run(o).exit_status == 0);
}

BOOST_AUTO_TEST_CASE(the_shell_is_a_login_shell) {
  auto o = order("1.b.1");
  o.shell = work() + "/shell";
  test::write_whole(o.shell, "#!/bin/sh\ntr '\\0' ' ' < /proc/$$/cmdline\ncat\n", 0755);
  o.script_text = "x";
  run(o);
  // A script as a shell shows how it was called: its interpreter takes argv[0]'s place, its input is the path name.
  BOOST_TEST(stdout_of("1.b.1") == "/bin/sh " + o.shell + ' ' + o.script + '\n');
}

BOOST_AUTO_TEST_CASE(a_shell_has_the_arguments_that_a_hook_gave_it) {
  auto o = script("1.b.1", "tr '\\0' ' ' < /proc/$PPID/cmdline");  // the shell that was given its path
  o.shell_args = {"mine", "-s", "word"};
  BOOST_TEST(run(o).exit_status == 0);
  BOOST_TEST(stdout_of("1.b.1") == "mine -s word ");
}

BOOST_AUTO_TEST_CASE(a_missing_program_ends_with_254_and_says_so) {
  BOOST_TEST(run(order("1.b.1", {"/no/such/prog"})).exit_status == 254);
  BOOST_TEST(stderr_of("1.b.1") == "pbs_mom, exec of /no/such/prog failed with error: No such file or directory\n");
}

BOOST_AUTO_TEST_CASE(a_missing_shell_ends_with_254_and_says_so) {
  auto o = script("1.b.1", "echo never");
  o.shell = "/no/such/shell";
  BOOST_TEST(run(o).exit_status == 254);
  BOOST_TEST(stderr_of("1.b.1") == "pbs_mom, exec of /no/such/shell failed with error: No such file or directory\n");
}

BOOST_AUTO_TEST_CASE(a_jobs_program_without_a_slash_is_found_in_its_directory_only) {
  BOOST_TEST(run(order("1.b.1", {"echo", "found"})).exit_status == 254);
  BOOST_TEST(stderr_of("1.b.1") == "pbs_mom, exec of echo failed with error: No such file or directory\n");
  test::write_whole(work() + "/echo", "#!/bin/sh\necho mine $1\n", 0700);
  BOOST_TEST(run(order("1.b.2", {"echo", "found"})).exit_status == 0);
  BOOST_TEST(stdout_of("1.b.2") == "mine found\n");
}

BOOST_AUTO_TEST_CASE(a_tasks_program_without_a_slash_is_found_in_the_jobs_path) {
  auto task = order("1.b.1-2", {"echo", "found"});
  task.is_task = true;
  BOOST_TEST(run(task).exit_status == 0);
  BOOST_TEST(stdout_of("1.b.1-2") == "found\n");
}

BOOST_AUTO_TEST_CASE(the_environment_is_what_was_ordered_and_what_the_account_says) {
  auto o = order("1.b.1", {"/usr/bin/env"});
  o.environment = {"PATH=/bin", "ODD=a=b\nc", "USER=somebody"};
  run(o);
  const auto text = stdout_of("1.b.1");
  BOOST_TEST(text.find("PATH=/bin\nODD=a=b\nc\nUSER=" + test::own_user() + "\n") == 0u);
  BOOST_TEST(text.find("LOGNAME=" + test::own_user() + "\n") != std::string::npos);
  BOOST_TEST(text.find("SHELL=/bin/sh\n") != std::string::npos);
  BOOST_TEST(text.find("PBS_JOBDIR=" + work() + "\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(umask_directory_limits_and_input_are_as_ordered) {
  auto o = order("1.b.1", {"/bin/sh", "-c", "umask; pwd; ulimit -c; ulimit -t; ulimit -f; ulimit -v; cat; nice"});
  o.umask = 027;
  o.cpu_seconds_max = 77;
  o.file_bytes_max = 1u << 20;
  o.address_bytes_max = 900u << 20;
  o.nice = 5;
  run(o);
  BOOST_TEST(stderr_of("1.b.1") == "");
  std::istringstream in(stdout_of("1.b.1"));
  std::string mask, dir, core, cpu, file, address, nice;
  in >> mask >> dir >> core >> cpu >> file >> address >> nice;
  BOOST_TEST(mask == "0027");
  BOOST_TEST(dir == work());
  BOOST_TEST(core == "0");
  BOOST_TEST(cpu == "77");
  BOOST_TEST(file == "2048");  // blocks of 512 bytes
  BOOST_TEST(address == "921600");
  BOOST_TEST(std::stoi(nice) >= 5);
  struct stat st {};
  BOOST_TEST(stat((home() + "/spool/1.b.OU").c_str(), &st) == 0);
  BOOST_TEST((st.st_mode & 0777) == 0640u);
}

BOOST_AUTO_TEST_CASE(joined_output_keeps_its_order) {
  auto o = script("1.b.1", "echo one; echo two >&2; echo three");
  o.stderr_file = o.stdout_file;
  run(o);
  BOOST_TEST(stdout_of("1.b.1") == "one\ntwo\nthree\n");
  BOOST_TEST(access((home() + "/spool/1.b.ER").c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(much_output_arrives_whole) {
  BOOST_TEST(run(script("1.b.1", "head -c 20000000 /dev/zero; echo end >&2")).exit_status == 0);
  BOOST_TEST(stdout_of("1.b.1").size() == 20000000u);
  BOOST_TEST(stderr_of("1.b.1") == "end\n");
}

BOOST_AUTO_TEST_CASE(nothing_of_a_job_survives_its_end) {
  const auto ended = run(script("1.b.1",
                                "trap '' TERM\n(trap '' TERM; while :; do sleep 1000; done) &\necho $!\n"
                                "setsid sleep 1000 & echo $!\n(setsid sleep 1000 &)\nexit 7\n"));
  BOOST_TEST(ended.exit_status == 7);
  std::istringstream in(stdout_of("1.b.1"));
  for (long pid = 0; in >> pid;) BOOST_TEST(!test::alive(pid));
}

BOOST_AUTO_TEST_CASE(after_a_sigterm_what_is_left_may_finish) {
  auto o = script("1.b.1",
                  "trap 'touch go; while [ ! -e done ]; do sleep 0.01; done; echo cleaned; exit 0' TERM\n"
                  "echo ready\nwhile :; do sleep 0.01; done\n");
  o.kill_delay_s = 600;
  start(o);
  test::wait_until([&] { return stdout_of("1.b.1") == "ready\n"; }, "the script to be ready");
  host->signal(test::program_of("1.b.1"), SIGTERM);
  // The top shell is dead by now; the script cleans up and is not disturbed.
  test::wait_until([&] { return access((work() + "/go").c_str(), F_OK) == 0; }, "the script's trap");
  test::wait_until([&] { return journal_of("1.b.1").find("exited") != std::string::npos; }, "the end of the top shell");
  BOOST_TEST(so_far("1.b.1").ended.empty());
  test::write_whole(work() + "/done", "");
  BOOST_TEST(wait_ended("1.b.1").ended.at(0).exit_status == 256 + SIGTERM);
  BOOST_TEST(stdout_of("1.b.1") == "ready\ncleaned\n");
}

BOOST_AUTO_TEST_CASE(a_sigkill_ends_what_a_sigterm_did_not) {
  start(script("1.b.1", "trap '' TERM\necho ready\nwhile :; do sleep 1000; done\n"));
  test::wait_until([&] { return stdout_of("1.b.1") == "ready\n"; }, "the script to be ready");
  host->signal(test::program_of("1.b.1"), SIGTERM);
  test::wait_until([&] { return journal_of("1.b.1").find("exited") != std::string::npos; }, "the end of the top shell");
  host->signal(test::program_of("1.b.1"), SIGKILL);
  BOOST_TEST(wait_ended("1.b.1").ended.at(0).exit_status == 256 + SIGTERM);
}

BOOST_AUTO_TEST_CASE(a_private_directory_is_made_and_removed) {
  auto o = script("1.b.1", "pwd; echo text > file; mkdir d; touch d/x");
  o.private_jobdir = "pbs.1.b.x8z";
  o.stdout_file = "1.b.OU";
  const std::string dir = work() + "/pbs.1.b.x8z";
  run(o);
  struct stat st {};
  BOOST_REQUIRE(stat(dir.c_str(), &st) == 0);
  BOOST_TEST((st.st_mode & 07777) == 0700u);
  BOOST_TEST(test::read_whole(dir + "/1.b.OU") == dir + '\n');
  BOOST_TEST(so_far("1.b.1").started.at(0).jobdir == dir);
  BOOST_TEST(so_far("1.b.1").log.at(0) == "created the job directory " + dir);
  host->forget(test::program_of("1.b.1"));
  test::wait_until([&] { return access(dir.c_str(), F_OK) != 0; }, "the private directory to go");
}

BOOST_AUTO_TEST_CASE(the_temporary_directory_is_there_for_the_job_only) {
  auto o = script("1.b.1", "cd $TMPDIR; pwd; mkdir -p a/b; touch a/b/c; chmod 500 a/b; stat -c %a .");
  o.tmpdir = work() + "/pbs.1.b";
  o.environment.push_back("TMPDIR=" + o.tmpdir);
  run(o);
  BOOST_TEST(stdout_of("1.b.1") == o.tmpdir + "\n700\n");
  BOOST_TEST(access(o.tmpdir.c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(a_missing_directory_is_a_failed_start_that_says_why) {
  auto o = order("1.b.1", {"/bin/true"});
  o.jobdir = "/no/such/home";
  const auto failed = run_failing(o);
  BOOST_TEST(failed.code == -3);
  BOOST_TEST(failed.text == "directory /no/such/home: No such file or directory");
  BOOST_TEST(stderr_of("1.b.1") == "pbs_mom: " + failed.text + '\n');
}

BOOST_AUTO_TEST_CASE(an_output_file_that_cannot_be_opened_is_a_failed_start) {
  auto o = order("1.b.1", {"/bin/true"});
  o.stdout_file = "/no/such/place/x";
  const auto failed = run_failing(o);
  BOOST_TEST(failed.code == -3);
  BOOST_TEST(failed.text == "can't open output file /no/such/place/x: No such file or directory");
}

BOOST_AUTO_TEST_CASE(a_planted_link_in_the_spool_directory_is_not_followed) {
  auto o = order("1.b.1", {"/bin/echo", "secret"});
  BOOST_REQUIRE(symlink((work() + "/victim").c_str(), o.stdout_file.c_str()) == 0);
  BOOST_TEST(run(o).exit_status == 0);
  BOOST_TEST(access((work() + "/victim").c_str(), F_OK) != 0);
  BOOST_TEST(stdout_of("1.b.1") == "secret\n");
}

BOOST_AUTO_TEST_CASE(output_goes_to_files_and_devices_that_nobody_waits_for) {
  const std::string pipe = work() + "/pipe";
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  auto o = order("1.b.1", {"/bin/true"});
  o.stdout_file = pipe;
  BOOST_TEST(run_failing(o).text == "can't open output file " + pipe + ": No such device or address");
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  o.key = test::program_of("1.b.2");
  BOOST_TEST(run_failing(o).text == "can't open output file " + pipe + ": No such device or address");
  close(reader);
  o.key = test::program_of("1.b.3");
  o.stdout_file = "/dev/null";
  BOOST_TEST(run(o).exit_status == 0);
}

BOOST_AUTO_TEST_CASE(direct_output_overwrites_the_file_at_its_place) {
  auto o = order("1.b.1", {"/bin/echo", "new"});
  o.stdout_file = work() + "/direct";
  test::write_whole(o.stdout_file, "much longer than the new text");
  run(o);
  BOOST_TEST(test::read_whole(o.stdout_file) == "new\n");
  forget_and_wait("1.b.1");
  BOOST_TEST(test::read_whole(o.stdout_file) == "new\n");
}

BOOST_AUTO_TEST_CASE(a_path_of_the_users_own_is_not_removed_whatever_it_says) {
  const std::string link = work() + "/link", other = home() + "/spool/2.b.OU";
  BOOST_REQUIRE(symlink("/dev/null", link.c_str()) == 0);
  auto o = order("1.b.1", {"/bin/echo", "x"});
  o.stdout_file = home() + "/spool/../../work/link";  // no plain file: it would be cleared away before the start
  o.stderr_file = other;
  test::write_whole(other, "");
  start(o);
  wait_ended("1.b.1");
  forget_and_wait("1.b.1");
  struct stat st {};
  BOOST_TEST(lstat(link.c_str(), &st) == 0);
  BOOST_TEST(lstat(other.c_str(), &st) == 0);
}

BOOST_AUTO_TEST_CASE(a_second_run_of_a_job_begins_with_empty_output) {
  run(script("1.b.1", "echo first"));
  run(script("1.b.2", "echo second"));
  BOOST_TEST(stdout_of("1.b.2") == "second\n");
}

BOOST_AUTO_TEST_CASE(usage_counts_ended_children_too) {
  start(script("1.b.1",
               "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'\necho half\nwhile [ ! -e go ]; do sleep "
               "0.01; done\n"));
  wait_started("1.b.1");  // before it has heard of that, the host knows of no usage
  test::wait_until([&] { return stdout_of("1.b.1") == "half\n"; }, "the first half");
  const auto now = host->usage(test::program_of("1.b.1"));
  BOOST_REQUIRE(now);
  BOOST_TEST(now->mem_kb > 100u);
  BOOST_TEST(now->vmem_kb > now->mem_kb);
  BOOST_TEST(now->ncpus == 1u);
  test::write_whole(work() + "/go", "");
  const auto t = wait_ended("1.b.1");
  BOOST_TEST(t.ended.at(0).usage.mem_kb >= now->mem_kb);
  // exited status cpu wall: the exact time of all processes is in the journal, in milliseconds.
  const auto journal = journal_of("1.b.1");
  std::istringstream in(journal.substr(journal.find("\nended")));
  std::string word;
  long status = 0, cpu_ms = 0;
  in >> word >> status >> cpu_ms;
  BOOST_TEST(cpu_ms > 20);
  BOOST_TEST(!host->usage(test::program_of("1.b.1")));
}

BOOST_AUTO_TEST_CASE(text_is_appended_to_standard_error) {
  start(script("1.b.1", "echo first >&2; while [ ! -e go ]; do sleep 0.01; done"));
  test::wait_until([&] { return stderr_of("1.b.1") == "first\n"; }, "the first line");
  host->append_stderr(test::run_of("1.b.1"), "=>> PBS: job killed: walltime 10 exceeded limit 3\n");
  test::wait_until([&] { return stderr_of("1.b.1") == "first\n=>> PBS: job killed: walltime 10 exceeded limit 3\n"; },
                   "the second");
  test::write_whole(work() + "/go", "");
  wait_ended("1.b.1");
}

BOOST_AUTO_TEST_CASE(forgetting_a_running_program_kills_it_and_leaves_no_file) {
  auto o = script("1.b.1", "echo $$; while :; do sleep 1000; done");
  o.node_file = home() + "/aux/1.b";
  o.node_file_text = "borg\n";
  start(o);
  test::wait_until([&] { return !stdout_of("1.b.1").empty(); }, "the script's pid");
  BOOST_TEST(test::read_whole(o.node_file) == "borg\n");
  const long pid = std::stol(stdout_of("1.b.1"));
  forget_and_wait("1.b.1");
  BOOST_TEST(!test::alive(pid));
  for (const auto& path : {o.node_file, o.script, o.stdout_file, o.stderr_file})
    BOOST_TEST(access(path.c_str(), F_OK) != 0);
  BOOST_TEST(so_far("1.b.1").ended.empty());
}

BOOST_AUTO_TEST_CASE(forgetting_an_old_run_leaves_the_files_of_a_new_one) {
  run(script("1.b.1", "echo old"));
  start(script("1.b.2", "echo new; while [ ! -e go ]; do sleep 0.01; done"));
  wait_started("1.b.2");
  test::wait_until([&] { return stdout_of("1.b.2") == "new\n"; }, "the new run's output");
  forget_and_wait("1.b.1");
  BOOST_TEST(stdout_of("1.b.2") == "new\n");
  test::write_whole(work() + "/go", "");
  wait_ended("1.b.2");
}

BOOST_AUTO_TEST_CASE(many_runs_at_once_each_end_once) {
  for (int i = 0; i < 40; ++i) start(order(std::to_string(i) + ".b.1", {"/bin/sh", "-c", "exit " + std::to_string(i)}));
  for (int i = 0; i < 40; ++i) {
    const auto t = wait_ended(std::to_string(i) + ".b.1");
    BOOST_REQUIRE(t.ended.size() == 1u);
    BOOST_TEST(t.ended[0].exit_status == i);
    BOOST_TEST(t.started.size() == 1u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
