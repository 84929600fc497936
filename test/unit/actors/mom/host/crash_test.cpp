// Crashes of the MoM and of the shepherd: a program never runs twice and its true end is told.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <functional>

#include "actors/mom/host/child_process.hpp"
#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/process_table.hpp"
#include "actors/mom/host/run_files.hpp"
#include "actors/mom/host/run_journal.hpp"
#include "host_fixture.hpp"

using namespace annals;
using test::host_fixture;

namespace {

struct crash_fixture : host_fixture {
  const values::run_key key = test::run_of("7.b.1");
  // Runs until the file "go" appears, then ends with 5. Counts its starts in the file "starts".
  ports::run_order waiting() const {
    return script(key, "echo x >> starts; (while [ ! -e go ]; do sleep 0.01; done); exit 5");
  }
  void begin() {
    start(waiting());
    wait_started(key);
    test::wait_until([&] { return starts() == "x\n"; }, "the script to run");
  }
  void go() { test::write_whole(work() + "/go", ""); }
  std::string starts() const { return test::read_whole(work() + "/starts"); }
  // That of 8.b.1, for our run.
  std::string order_text() const {
    auto copied = mom::parts_of(test::read_whole(run_file("8.b.1")), "8.b.1").order.value();
    copied.key = print(key);
    return mom::print_order(copied);
  }
  mom::run_journal journal() const { return mom::parse_journal(journal_of(key)); }
  // A run file that a power loss left like this says that ours never began, also to the next MoM.
  void expect_never_begun(const std::string& left, const std::function<void()>& ask) {
    unlink((work() + "/ran").c_str());
    test::write_whole(run_file(key), left, 0600);
    ask();
    BOOST_TEST(wait_failed(key).failed.back().code == -3);
    restart_mom();
    host->adopt(key);
    BOOST_TEST(wait_failed(key).failed.back().code == -3);
    BOOST_TEST(access((work() + "/ran").c_str(), F_OK) != 0);
    forget_and_wait(key);
    restart_mom();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(crashes, crash_fixture)

BOOST_AUTO_TEST_CASE(a_running_program_survives_its_mom_and_ends_with_its_true_status) {
  begin();
  const auto before = so_far(key).started.at(0);
  restart_mom();
  host->adopt(key);
  const auto t = wait_started(key);
  BOOST_TEST(t.started[0].pid == before.pid);
  BOOST_TEST(t.started[0].session == before.session);
  BOOST_TEST(t.started[0].jobdir == work());
  BOOST_TEST(t.ended.empty());
  BOOST_TEST(host->usage(key).has_value());
  go();
  BOOST_TEST(wait_ended(key).ended.at(0).exit_status == 5);
  BOOST_TEST(starts() == "x\n");
}

BOOST_AUTO_TEST_CASE(an_end_that_no_mom_saw_is_found) {
  begin();
  crash_mom();
  go();
  test::wait_until([&] { return journal().over(); }, "the journal's last line");
  new_mom();
  host->adopt(key);
  const auto t = wait_ended(key);
  BOOST_TEST(t.started.size() == 1u);
  BOOST_TEST(t.ended.at(0).exit_status == 5);
}

BOOST_AUTO_TEST_CASE(starting_again_after_a_restart_reports_and_does_not_run) {
  BOOST_TEST(!host->has_order(key));
  begin();
  restart_mom();
  BOOST_TEST(host->has_order(key));
  host->start(waiting());
  wait_started(key);
  go();
  BOOST_TEST(wait_ended(key).ended.at(0).exit_status == 5);
  host->start(waiting());
  wait(key, [](const test::told& t) { return t.ended.size() == 2; });
  BOOST_TEST(starts() == "x\n");
}

BOOST_AUTO_TEST_CASE(two_shepherds_of_one_run_start_one_program) {
  start(waiting());
  for (int i = 0; i < 5; ++i) {
    const auto other = mom::spawn_program({options.shepherd, "run", run_file(key)});
    BOOST_REQUIRE(other);
    close(other->pidfd);
    if (i > 0) continue;  // the first may even win the race with the host's own
    wait_started(key);
  }
  test::wait_until([&] { return !starts().empty(); }, "the script to run");
  go();
  BOOST_TEST(wait_ended(key).ended.at(0).exit_status == 5);
  BOOST_TEST(starts() == "x\n");
}

BOOST_AUTO_TEST_CASE(a_run_that_never_began_is_told_as_failed_and_never_begins) {
  host->adopt(key);
  BOOST_TEST(wait_failed(key).failed.at(0).code == -3);
  host->start(waiting());
  wait(key, [](const test::told& t) { return t.failed.size() == 2; });
  BOOST_TEST(starts() == "");
  forget_and_wait(key);
}

BOOST_AUTO_TEST_CASE(a_shepherd_that_comes_after_the_run_was_called_off_does_nothing) {
  start(order("8.b.1", {"/usr/bin/touch", "ran"}));  // a good order to copy
  wait_ended("8.b.1");
  unlink((work() + "/ran").c_str());
  test::write_whole(run_file(key), order_text(), 0600);
  host->adopt(key);
  wait_failed(key);
  const auto late = mom::spawn_program({options.shepherd, "run", run_file(key)});
  BOOST_REQUIRE(late);
  BOOST_TEST(mom::reap(late->pid) == 0);
  close(late->pidfd);
  BOOST_TEST(!journal().claimed);
  BOOST_TEST(access((work() + "/ran").c_str(), F_OK) != 0);
  forget_and_wait(key);
}

BOOST_AUTO_TEST_CASE(a_killed_shepherd_ends_the_run_with_minus_4_and_nothing_survives) {
  auto o = script(key, "echo x >> starts; setsid sleep 1000 & echo $! $$; while :; do sleep 1000; done");
  start(o);
  const auto started = wait_started(key).started.at(0);
  test::wait_until([&] { return stdout_of(key).find('\n') != std::string::npos; }, "the script's pids");
  kill(static_cast<pid_t>(journal().claimed->pid), SIGKILL);
  const auto t = wait_ended(key);
  BOOST_TEST(t.ended.at(0).exit_status == -4);
  BOOST_TEST(!test::alive(started.pid));
  const auto out = stdout_of(key);
  BOOST_TEST(!test::alive(std::stol(out)));
  BOOST_TEST(!test::alive(std::stol(out.substr(out.find(' ')))));
  // What was said once stays so.
  restart_mom();
  host->adopt(key);
  BOOST_TEST(wait_ended(key).ended.at(0).exit_status == -4);
}

BOOST_AUTO_TEST_CASE(a_shepherd_killed_while_no_mom_lived_is_told_on_adoption) {
  begin();
  const auto started = so_far(key).started.at(0);
  const auto shepherd = static_cast<pid_t>(journal().claimed->pid);
  crash_mom();
  kill(shepherd, SIGKILL);
  new_mom();
  host->adopt(key);
  BOOST_TEST(wait_ended(key).ended.at(0).exit_status == -4);
  BOOST_TEST(!test::alive(started.pid));
}

BOOST_AUTO_TEST_CASE(a_shepherd_killed_after_the_programs_end_keeps_its_status) {
  begin();
  crash_mom();
  kill(static_cast<pid_t>(journal().claimed->pid), SIGKILL);
  test::write_whole(run_file(key), test::read_whole(run_file(key)) + mom::exited_line({9, 10, 2000}), 0600);
  new_mom();
  host->adopt(key);
  const auto t = wait_ended(key);
  BOOST_TEST(t.ended.at(0).exit_status == 9);
  BOOST_TEST(t.ended.at(0).usage.wall_seconds == 2u);
}

BOOST_AUTO_TEST_CASE(a_line_that_a_shepherd_could_not_finish_spoils_no_verdict) {
  test::write_whole(run_file(key),
                    mom::line_of(mom::journal_claimed{1, mom::boot_id()}) + mom::line_of(mom::journal_started{1, 1, 1, 1}) + "exited 0 12",
                    0600);
  host->adopt(key);
  BOOST_TEST(wait_ended(key).ended.at(0).exit_status == -4);
  BOOST_TEST(journal().over());
  restart_mom();
  host->adopt(key);
  BOOST_TEST(wait_ended(key).ended.at(0).exit_status == -4);
  forget_and_wait(key);
}

BOOST_AUTO_TEST_CASE(a_shepherd_killed_before_the_program_is_a_start_to_try_again) {
  test::write_whole(run_file(key), mom::line_of(mom::journal_claimed{1, mom::boot_id()}), 0600);
  host->adopt(key);
  BOOST_TEST(wait_failed(key).failed.at(0).code == -3);
  forget_and_wait(key);
}

BOOST_AUTO_TEST_CASE(nobody_knows_what_a_shepherd_did_that_died_at_the_fork_or_with_the_machine) {
  for (const bool other_boot : {false, true}) {
    const auto k = test::run_of(other_boot ? "8.b.1" : "9.b.1");
    const mom::journal_claimed claimed{1, other_boot ? "another-boot" : mom::boot_id()};
    test::write_whole(run_file(k), mom::line_of(claimed) + (other_boot ? "" : mom::forking_line()), 0600);
    host->adopt(k);
    BOOST_TEST(wait_failed(k).failed.at(0).code == -4);
    forget_and_wait(k);
  }
}

BOOST_AUTO_TEST_CASE(a_journal_without_a_whole_line_is_a_run_that_never_began) {
  test::write_whole(run_file(key), "claimed 12", 0600);
  host->adopt(key);
  BOOST_TEST(wait_failed(key).failed.at(0).code == -3);
  forget_and_wait(key);
}

BOOST_AUTO_TEST_CASE(a_new_mom_removes_the_files_of_runs_that_have_left) {
  begin();                             // goes on
  run(order("8.b.1", {"/bin/true"}));  // has left, its MoM died before it removed the files
  const values::program_key task = values::task_key{key, 2}, other_task = test::program_of("8.b.1-2");
  run(order(task, {"/bin/true"}));
  run(order(other_task, {"/bin/true"}));
  restart_mom();
  host->forget_others({key});
  test::wait_until([&] { return access(run_file("8.b.1").c_str(), F_OK) != 0 && access(run_file(other_task).c_str(), F_OK) != 0; },
                   "the files to go");
  BOOST_TEST(access(run_file(task).c_str(), F_OK) == 0);
  host->adopt(key);
  wait_started(key);
  go();
  BOOST_TEST(wait_ended(key).ended.at(0).exit_status == 5);
}

BOOST_AUTO_TEST_CASE(an_order_whose_mom_died_before_the_shepherd_is_begun_by_the_next_start) {
  run(order("8.b.1", {"/usr/bin/touch", "ran"}));
  unlink((work() + "/ran").c_str());
  test::write_whole(run_file(key), order_text(), 0600);
  start(waiting());  // what is on disk counts, not what is said now
  BOOST_TEST(wait_ended(key).ended.at(0).exit_status == 0);
  BOOST_TEST(access((work() + "/ran").c_str(), F_OK) == 0);
  BOOST_TEST(starts() == "");
}

BOOST_AUTO_TEST_CASE(what_a_power_loss_left_of_an_earlier_runs_file_is_not_this_run) {
  run(order("8.b.1", {"/usr/bin/touch", "ran"}));
  const auto earlier = test::read_whole(run_file("8.b.1"));
  forget_and_wait("8.b.1");
  for (const auto& left :
       {earlier, earlier.substr(0, mom::order_size(earlier)), earlier.substr(0, 40) + "\nended 0 1 2\n", std::string()})
    expect_never_begun(left, [&] { start(waiting()); });
}

// Nothing of it was synced: the disk has the new order before the rest of the old file, which is as long.
BOOST_AUTO_TEST_CASE(what_a_power_loss_left_behind_an_order_that_may_run_again_is_not_its_journal) {
  auto o = order("8.b.1", {"/usr/bin/touch", "ran"});
  o.may_run_again = true;
  run(o);
  const auto earlier = test::read_whole(run_file("8.b.1"));
  const auto left = order_text() + earlier.substr(mom::order_size(earlier));
  BOOST_REQUIRE(left.size() == earlier.size());
  BOOST_REQUIRE(left.find(" ended 0 ") != std::string::npos);
  expect_never_begun(left, [&] { host->adopt(key); });

  test::write_whole(run_file(key), left, 0600);
  start(waiting());
  BOOST_TEST(wait_ended(key).ended.back().exit_status == 0);
  BOOST_TEST(access((work() + "/ran").c_str(), F_OK) == 0);
}

BOOST_AUTO_TEST_CASE(a_shepherd_does_not_begin_what_somebody_else_judges) {
  run(order("8.b.1", {"/usr/bin/touch", "ran"}));
  unlink((work() + "/ran").c_str());
  test::write_whole(run_file(key), order_text(), 0600);
  auto held = mom::held_run::take(run_file(key), false);
  BOOST_REQUIRE(held);
  BOOST_TEST(!mom::held_run::take(run_file(key), false));  // one holder at a time
  const auto waits = mom::spawn_program({options.shepherd, "run", run_file(key)});
  BOOST_REQUIRE(waits);
  BOOST_TEST(held->append(mom::line_of(mom::journal_failed{-3, "called off"})));
  BOOST_TEST(mom::reap(waits->pid) == 0);
  close(waits->pidfd);
  BOOST_TEST(!journal().claimed);
  BOOST_TEST(access((work() + "/ran").c_str(), F_OK) != 0);
  unlink(run_file(key).c_str());
}

BOOST_AUTO_TEST_CASE(a_run_of_another_mom_can_be_forgotten_unseen) {
  begin();
  const auto started = so_far(key).started.at(0);
  restart_mom();
  forget_and_wait(key);
  BOOST_TEST(!test::alive(started.pid));
}

BOOST_AUTO_TEST_CASE(a_shepherd_that_is_not_there_is_a_start_to_try_again) {
  options.shepherd = "/no/such/shepherd";
  restart_mom();
  const auto failed = run_failing(waiting());
  BOOST_TEST(failed.code == -3);
  BOOST_TEST(failed.text == "/no/such/shepherd: No such file or directory");
}

BOOST_AUTO_TEST_CASE(a_key_that_is_no_file_name_is_refused) {
  for (const std::string job : {"", "../x", ".x", "a/b", "7.b.1/", "7", "7.b@c", "7.b\n"}) {
    const values::run_key bad{job, 1};
    auto o = waiting();
    o.key = bad;
    host->start(o);
    BOOST_TEST(wait_failed(bad).failed.at(0).code == -2);
    host->forget(bad);
  }
}

BOOST_AUTO_TEST_SUITE_END()
