// A job's runs: start, failure to start, usage, end, loss of the host; and what its state still owes.
#include <boost/test/unit_test.hpp>
#include <tuple>

#include "events/model/exit_codes.hpp"
#include "events/model/job/explained.hpp"
#include "events/model/limits.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::job_phase;
namespace ids = attributes::job;

BOOST_AUTO_TEST_CASE(a_job_runs_from_its_proposal_to_its_end) {
  auto story = given(job_phase::queued);
  BOOST_TEST(story.when(propose(), the_scheduler()) == "assigned");
  BOOST_TEST(story.state() == "R 41");
  BOOST_TEST(story.comment().starts_with("Job was sent for execution at "));
  BOOST_TEST(story.comment().ends_with(" on (borg:ncpus=1)"));
  BOOST_TEST(story.starts() == "started");
  BOOST_TEST(story.comment().starts_with("Job run at "));
  BOOST_TEST(story.starts() == "");  // a repeat
  BOOST_TEST(story.uses({1, 2048, 3, 1}) == "usageReported");
  BOOST_TEST(story.state() == "R 42");
  BOOST_TEST(story.attribute(ids::session_id) == "4711");
  BOOST_TEST(story.later(10).exits(0, {2, 4096, 10, 1}) == "exited");
  BOOST_TEST(story.state() == "E 51");
  BOOST_TEST(story.exits(0) == "");
  BOOST_TEST(story.leaves() == "outputDelivered vnodesReleased ended");
  BOOST_TEST(story.leaves() == "");
  BOOST_TEST(story.state() == "F 92");
  BOOST_TEST(story.comment().ends_with(" on (borg:ncpus=1) and finished"));
  BOOST_TEST(story.attribute(ids::resources_used, "mem") == "4096kb");
  BOOST_TEST(story.attribute(ids::resources_used, "walltime") == "00:00:10");
  BOOST_TEST(story.attribute(ids::Stageout_status) == "1");
}

BOOST_AUTO_TEST_CASE(an_end_that_comes_before_the_start_was_heard_of_brings_the_start_along) {
  auto story = given(job_phase::assigned);
  BOOST_TEST(story.exits(0) == "started exited");
}

BOOST_AUTO_TEST_CASE(reports_of_another_run_change_nothing) {
  auto story = given(job_phase::assigned);
  BOOST_TEST(story.starts(2) == "");
  BOOST_TEST(story.refuses(-3, 2) == "");
  BOOST_TEST(story.uses({}, 2) == "");
  BOOST_TEST(story.exits(0, {}, 2) == "");
  BOOST_TEST(story.leaves(true, 2) == "");
}

BOOST_AUTO_TEST_CASE(exit_statuses_have_their_comments_and_substates) {
  const std::pair<int, std::string> endings[] = {{0, " and finished"},
                                                 {1, " and failed"},
                                                 {137, " and failed"},
                                                 {-25, " and exceeded resource ncpus (sum)"},
                                                 {-27, " and exceeded resource mem"},
                                                 {-28, " and exceeded resource cput"},
                                                 {-29, " and exceeded resource walltime"}};
  for (const auto& [code, ending] : endings) {
    auto story = given(job_phase::started);
    story.exits(code);
    story.leaves();
    BOOST_TEST(story.comment().ends_with(ending));
    BOOST_TEST(story.state() == (code == 0 ? "F 92" : "F 93"));
    BOOST_TEST(story.attribute(ids::Exit_status) == std::to_string(code));
  }
}

BOOST_AUTO_TEST_CASE(a_failed_delivery_is_seen_in_the_stageout_status_and_the_comment_says_why) {
  auto story = given(job_phase::exiting);
  auto untold = story;
  story.leaves(false, 0,
               "Unable to copy file /spool/12.OU to borg:/new/x\n>>> error from copy\n/bin/cp: No such file or directory\n"
               ">>> end error output\nOutput retained on that host in: /undelivered/12.OU\n"
               "Unable to copy file /spool/12.ER to borg:/new/y\n>>> error from copy\nno space\n");
  BOOST_TEST(story.attribute(ids::Stageout_status) == "0");
  BOOST_TEST(story.comment().ends_with(
      " and finished; Unable to copy file /spool/12.OU to borg:/new/x; /bin/cp: No such file or directory; "
      "Output retained on that host in: /undelivered/12.OU"));
  untold.leaves(false);
  BOOST_TEST(untold.comment().ends_with(" and finished; output could not be delivered"));
  auto endless = given(job_phase::exiting);
  endless.leaves(false, 0, std::string(100'000, 'x'));
  BOOST_TEST(endless.comment().ends_with("xxx..."));
  BOOST_TEST(endless.comment().size() < 2 * limits::explained_bytes_max);
}

BOOST_AUTO_TEST_CASE(a_job_of_which_the_kernel_killed_processes_says_so) {
  auto story = given(job_phase::started);
  BOOST_TEST(story.loses_to_the_kernel("Cgroup mem limit exceeded (64kb): processes killed by the kernel: 1") == "runStep");
  story.loses_to_the_kernel("n2: another");
  auto deleted = story, well = story;
  story.exits(137);
  story.leaves();
  BOOST_TEST(story.comment().ends_with(" and failed: Cgroup mem limit exceeded (64kb): processes killed by the kernel: 1"));
  well.exits(0);  // its script went on
  well.leaves();
  BOOST_TEST(well.comment().ends_with(" and finished: Cgroup mem limit exceeded (64kb): processes killed by the kernel: 1"));
  deleted.when(remove());
  deleted.exits(271);
  deleted.leaves();
  BOOST_TEST(deleted.comment().ends_with(
      " and terminated by user1@borg: Cgroup mem limit exceeded (64kb): processes killed by the kernel: 1"));
  // Another run knows of it no more.
  auto again = given(job_phase::started);
  again.loses_to_the_kernel("Cgroup mem limit exceeded");
  again.when(rerun(), manager());
  again.exits(-11);
  again.leaves();
  again.when(propose(), the_scheduler());
  again.starts();
  again.exits(1);
  again.leaves();
  BOOST_TEST(again.comment().ends_with(" and failed"));
}

BOOST_AUTO_TEST_CASE(a_hold_while_it_runs_does_not_take_away_how_it_ended) {
  for (const bool released : {false, true}) {
    auto story = given(job_phase::started);
    story.when(hold({schema::HoldType::USER}));
    BOOST_TEST(story.comment().starts_with("Job held by user1 on "));
    if (released) story.when(release({schema::HoldType::USER}));
    BOOST_TEST(story.comment().empty() == released);
    story.exits(-29);
    story.leaves(false, 0, "Unable to copy file /spool/12.OU to borg:/new/x\nOutput retained on that host in: /undelivered/12.OU\n");
    BOOST_TEST(story.comment().starts_with("Job run at "), story.comment());
    BOOST_TEST(story.comment().ends_with(" and exceeded resource walltime; Unable to copy file /spool/12.OU to borg:/new/x; "
                                         "Output retained on that host in: /undelivered/12.OU"),
               story.comment());
  }
  auto deleted = given(job_phase::started);
  deleted.when(hold({schema::HoldType::USER}));
  deleted.when(release({schema::HoldType::USER}));
  deleted.when(remove());
  deleted.exits(271);
  BOOST_TEST(deleted.comment() == "");
  auto held = given(job_phase::queued);
  held.when(hold({schema::HoldType::USER}));
  held.when(remove());
  BOOST_TEST(held.comment().starts_with("Job held by user1 on "));
  BOOST_TEST(held.comment().ends_with(" and terminated"));
}

BOOST_AUTO_TEST_CASE(the_words_of_an_end_have_why_the_kernel_ended_it) {
  BOOST_TEST(model::why_killed(" and failed: its cput; Unable to copy a: b") == "its cput");
  BOOST_TEST(model::why_killed(" and finished: Cgroup: 1") == "Cgroup: 1");
  for (const auto* other :
       {" and failed", " and finished; Unable to copy a: b", " and exceeded resource mem", " and terminated by u@h: x", ""})
    BOOST_TEST(model::why_killed(other) == "");
}

BOOST_AUTO_TEST_CASE(a_job_that_the_kernel_ended_at_its_cput_says_so) {
  const std::tuple<int, std::uint64_t, std::string> endings[] = {{137, 3, " and failed: its cput has reached its limit 00:00:03"},
                                                                 {256 + 24, 4, " and failed: its cput has reached its limit 00:00:03"},
                                                                 {137, 2, " and failed"},
                                                                 {1, 3, " and failed"},
                                                                 {-28, 3, " and exceeded resource cput"}};
  for (const auto& [code, cput, ending] : endings) {
    auto story = given(job_phase::started, {{"Resource_List", "cput", "00:00:03"}});
    story.exits(code, {cput, 1, 5, 1});
    story.leaves();
    BOOST_TEST(story.comment().ends_with(ending), story.comment());
  }
}

BOOST_AUTO_TEST_CASE(a_start_that_failed_for_good_ends_the_job) {
  auto story = given(job_phase::assigned);
  BOOST_TEST(story.refuses(-2) == "startFailed vnodesReleased ended");
  BOOST_TEST(story.state() == "F 93");
  BOOST_TEST(story.attribute(ids::Exit_status) == "-2");
}

BOOST_AUTO_TEST_CASE(a_job_runs_as_its_runjob_hooks_left_it) {  // pbs guide: hooks: runjob
  auto story = given(job_phase::queued);
  auto run = propose();
  run.changes = alter({{"Output_Path", "", "borg:/tmp/o"}, {"Resource_List", "walltime", "00:01:00"}, {"Resource_List", "place", "excl"}});
  auto bad = run;
  bad.changes = alter({{"Output_Path", "", "borg:/tmp/o"}, {"Resource_List", "nosuch", "1"}});
  BOOST_TEST(said(story.ask(bad, the_scheduler())).starts_with("15035"));
  BOOST_TEST(story.when(run, the_scheduler()) == "altered assigned");
  BOOST_TEST(story.attribute(ids::Output_Path) == "borg:/tmp/o");
  BOOST_TEST(story.state().starts_with("R"));
  // A suspended job goes on as it is.
  auto suspended = given(job_phase::suspended);
  suspended.when(model::resume_later{}, operator_());
  run.message = schema::make<schema::FromScheduler>([](schema::FromScheduler::Builder m) { m.initRun().setExecVnode("(borg:ncpus=1)"); });
  BOOST_TEST(suspended.when(run, the_scheduler()) == "resumed vnodesTaken");
}

BOOST_AUTO_TEST_CASE(a_start_that_may_be_tried_again_requeues_and_at_the_21st_holds) {
  auto story = given(job_phase::queued);
  for (int start = 1; start <= 20; ++start) {
    story.later(60).when(propose(), the_scheduler());
    BOOST_TEST(story.refuses(-3) == "startFailed vnodesReleased requeued");
    BOOST_TEST(story.state() == "Q 10");
  }
  story.later(60).when(propose(), the_scheduler());
  story.refuses(-3, 0, "no scratch directory");
  BOOST_TEST(story.state() == "H 20");
  BOOST_TEST(story.attribute(ids::Hold_Types) == "s");
  BOOST_TEST(story.comment() == "job held, too many failed attempts to run; not started on borg: no scratch directory");
  BOOST_TEST(story.attribute(ids::run_count) == "21");
}

BOOST_AUTO_TEST_CASE(starts_that_were_given_at_submission_count_too) {
  for (const auto& [given_count, tries] : {std::pair{"15", 6}, {"20", 1}, {"184", 1}}) {
    auto story = given(job_phase::queued, {{"run_count", "", given_count}});
    for (int start = 1; start <= tries; ++start) {
      BOOST_TEST(story.state() == "Q 10");
      story.later(60).when(propose(), the_scheduler());
      story.refuses(-3);
    }
    BOOST_TEST(story.state() == "H 20");
  }
}

BOOST_AUTO_TEST_CASE(a_job_that_its_host_could_not_start_says_why_and_remembers_the_host_until_it_runs) {
  auto story = given(job_phase::assigned);
  story.refuses(-3, 0, "can't make directory /var/tmp/x: Read-only file system");
  BOOST_TEST(story.comment().starts_with(
      "Job requeued, not started on borg: can't make directory /var/tmp/x: Read-only file system; not tried again before "));
  BOOST_REQUIRE(story.job.failed_starts.size() == 1u);
  BOOST_TEST(story.job.failed_starts[0].host == "borg");
  story.later(60).when(propose(), the_scheduler());
  story.refuses(-3);
  BOOST_TEST(story.job.failed_starts.size() == 1u);
  BOOST_TEST(story.job.failed_starts[0].run == 2u);
  story.later(60).when(propose(), the_scheduler());
  story.starts();
  BOOST_TEST(story.job.failed_starts.empty());
  // A hook's rejection is no trouble of the host.
  auto rejected = given(job_phase::assigned);
  rejected.refuses(-16, 0, "no scratch directory");
  BOOST_TEST(rejected.comment().starts_with("Job requeued, not started on borg: no scratch directory; not tried again before "));
  BOOST_TEST(rejected.job.failed_starts.empty());
}

BOOST_AUTO_TEST_CASE(a_job_whose_script_is_lost_is_held) {
  auto story = given(job_phase::assigned);
  BOOST_TEST(story.refuses(model::exit_script_lost) == "startFailed vnodesReleased requeued");
  BOOST_TEST(story.state() == "H 20");
  BOOST_TEST(story.attribute(ids::Hold_Types) == "s");
  BOOST_TEST(story.comment() == "job held, the server has lost its script");
}

BOOST_AUTO_TEST_CASE(a_deleted_job_whose_start_fails_is_not_tried_again) {
  auto story = given(job_phase::assigned);
  story.when(remove());
  BOOST_TEST(story.refuses(-3) == "startFailed vnodesReleased ended");
}

BOOST_AUTO_TEST_CASE(a_lost_run_is_queued_again_if_the_job_may) {
  auto story = given(job_phase::started);
  BOOST_TEST(story.when(model::run_lost{1, false, true}, the_server()) == "exited vnodesReleased requeued");
  BOOST_TEST(story.attribute(ids::Exit_status) == "-4");

  auto never_again = given(job_phase::started, {{"Rerunable", "", "False"}});
  BOOST_TEST(never_again.when(model::run_lost{1, true, false}, the_server()) == "exited vnodesReleased ended");
  BOOST_TEST(never_again.state() == "F 93");
}

// A host that comes back after its power was lost has counted nothing.
BOOST_AUTO_TEST_CASE(what_a_lost_run_is_known_to_have_used_stays) {
  const auto used = [](const auto& story, const char* resource) { return story.attribute(ids::resources_used, resource); };
  auto story = given(job_phase::started, {{"Rerunable", "", "False"}});
  story.uses({3600, 4096, 7200, 2});
  BOOST_TEST(story.exits(model::exit_host_lost, {0, 0, 0, 2}) == "exited");
  BOOST_TEST(used(story, "cput") == "01:00:00");
  BOOST_TEST(used(story, "walltime") == "02:00:00");
  BOOST_TEST(used(story, "mem") == "4096kb");
  BOOST_TEST(used(story, "ncpus") == "2");

  // The MoM was killed, and its shepherd: the host still knows when the program began.
  auto counted = given(job_phase::started, {{"Rerunable", "", "False"}});
  counted.uses({3600, 4096, 7200, 2});
  counted.exits(model::exit_host_lost, {10, 8192, 9000, 2});
  BOOST_TEST(used(counted, "cput") == "01:00:00");
  BOOST_TEST(used(counted, "walltime") == "02:30:00");
  BOOST_TEST(used(counted, "mem") == "8192kb");

  // What is known of an earlier run counts nothing here, nor does it where the end was measured.
  auto again = given(job_phase::started);
  again.uses({3600, 4096, 7200, 2});
  again.exits(model::exit_host_lost);
  BOOST_REQUIRE(again.leaves() == "outputDelivered vnodesReleased requeued");
  BOOST_REQUIRE(again.when(propose(), the_scheduler()) == "assigned");
  again.starts();
  again.exits(model::exit_host_lost, {1, 1, 1, 1});
  BOOST_TEST(used(again, "walltime") == "00:00:01");
  auto measured = given(job_phase::started);
  measured.uses({3600, 4096, 7200, 2});
  measured.exits(1, {3600, 10, 7200, 2});
  BOOST_TEST(used(measured, "mem") == "10kb");
}

BOOST_AUTO_TEST_CASE(an_order_that_is_still_on_its_way_is_not_lost) {
  auto story = given(job_phase::assigned);
  BOOST_TEST(story.when(model::run_lost{1, false, false}, the_server()) == "");
  BOOST_TEST(story.when(model::run_lost{2, true, true}, the_server()) == "");
  BOOST_TEST(story.when(model::run_lost{1, false, true}, the_server()) == "started exited vnodesReleased requeued");
}

BOOST_AUTO_TEST_CASE(a_lost_run_keeps_the_usage_last_known_of_it) {
  auto story = given(job_phase::started, {{"Rerunable", "", "False"}});
  story.uses({5, 100, 60, 1});
  story.when(model::run_lost{1, true, false}, the_server());
  BOOST_TEST(story.attribute(ids::resources_used, "walltime") == "00:01:00");
}

BOOST_AUTO_TEST_CASE(only_queued_jobs_are_run_by_schedulers) {
  for (auto phase : every_job_phase) {
    if (phase == job_phase::none) continue;
    BOOST_TEST(given(phase).ask(propose(), the_scheduler()).accepted() == (phase == job_phase::queued));
  }
}

BOOST_AUTO_TEST_CASE(a_waiting_job_is_queued_when_its_time_has_come_and_not_before) {
  auto story = given(job_phase::waiting);
  BOOST_TEST(story.state() == "W 30");
  BOOST_TEST(story.later(3599).when(model::end_wait{}, the_server()) == "");
  BOOST_TEST(story.later(1).when(model::end_wait{}, the_server()) == "waitEnded");
  BOOST_TEST(story.state() == "Q 10");
}

BOOST_AUTO_TEST_CASE(a_finished_job_is_forgotten_when_its_time_is_over_and_not_before) {
  auto story = given(job_phase::finished);
  story.settings.server.set(attributes::server::job_history_duration, "01:00:00");
  BOOST_TEST(story.later(3599).when(model::forget_job{}, the_server()) == "");
  BOOST_TEST(story.later(1).when(model::forget_job{}, the_server()) == "forgotten");
  BOOST_TEST(story.when(model::forget_job{}, the_server()) == "");
}

BOOST_AUTO_TEST_CASE(a_history_without_a_duration_lasts_two_weeks) {
  auto story = given(job_phase::finished);
  BOOST_TEST(story.later(14 * 24 * 3600 - 1).when(model::forget_job{}, the_server()) == "");
  BOOST_TEST(story.later(1).when(model::forget_job{}, the_server()) == "forgotten");
}

BOOST_AUTO_TEST_CASE(finished_jobs_are_forgotten_at_once_when_the_history_is_turned_off) {
  auto story = given(job_phase::finished);
  story.settings.server.set(attributes::server::job_history_enable, "False");
  BOOST_TEST(story.when(model::forget_job{}, the_server()) == "forgotten");
  BOOST_TEST(story.when(model::forget_job{}, the_server()) == "");
}

// -- qterm -t immediate, -t delay (pbs guide: qterm) -------------------------------------------------------------------------

namespace {
std::string stop(job_story& story, bool waits) {
  const auto o = story.ask(model::server_stops{waits}, the_server());
  const auto events = story.when(model::server_stops{waits}, the_server());
  return events + "|" + o.reply;
}
}  // namespace

BOOST_AUTO_TEST_CASE(a_rerunable_job_is_queued_again_when_the_server_stops) {
  for (bool waits : {false, true}) {
    auto story = given(job_phase::started);
    BOOST_TEST(stop(story, waits) == "rerunRequested|Requeued in queue: workq on Server shutdown");
    BOOST_TEST(story.state() == "R 60");
    BOOST_TEST(stop(story, waits) == "|");
    story.exits(-11);
    story.leaves();
    BOOST_TEST(story.state() == "Q 10");
    BOOST_TEST(story.attribute(attributes::job::Exit_status) == "265");
  }
}

BOOST_AUTO_TEST_CASE(another_is_aborted_or_waited_for_when_the_server_stops) {
  auto story = given(job_phase::started, {{"Rerunable", "", "False"}});
  BOOST_TEST(stop(story, true) == "|job running on at Server shutdown on Server shutdown");
  BOOST_TEST(story.state() == "R 41");
  BOOST_TEST(stop(story, false) == "deleteRequested|Aborted by PBS Server  on Server shutdown");
  BOOST_TEST(story.state() == "R 54");
  BOOST_TEST(stop(story, false) == "|");
  story.exits(265);
  story.leaves();
  BOOST_TEST(story.state() == "F 93");
  BOOST_TEST(story.attribute(attributes::job::Exit_status) == "265");
  BOOST_TEST(story.comment().ends_with(" and failed"), story.comment());
}

BOOST_AUTO_TEST_CASE(a_job_that_does_not_run_hears_nothing_of_the_servers_stop) {
  for (auto phase : every_job_phase)
    if (auto story = given(phase); phase != job_phase::none && !story.job.running()) {
      BOOST_TEST(stop(story, false) == "|");
    }
}

BOOST_AUTO_TEST_CASE(an_aborted_job_that_never_started_is_not_tried_again) {
  auto story = given(job_phase::assigned, {{"Rerunable", "", "False"}});
  stop(story, false);
  story.refuses(-3);
  BOOST_TEST(story.state() == "F 93");
}

// -- what the world is owed ----------------------------------------------------------------------------------------------

namespace {

std::string owed(const job_story& story) {
  std::string text;
  for (const auto& effect : model::pending_effects(story.job, story.settings)) {
    if (!text.empty()) text += ", ";
    if (const auto* s = std::get_if<model::start_run>(&effect)) text += "start " + std::to_string(s->run) + " on " + s->host;
    if (const auto* s = std::get_if<model::signal_run>(&effect))
      text +=
          s->signal + " " + std::to_string(s->id) + " delay " + std::to_string(s->kill_delay_s) + " exit " + std::to_string(s->exit_status);
    if (const auto* w = std::get_if<model::wake_at>(&effect)) text += "wake " + std::to_string(w->wall_ns / 1'000'000'000 - story.now_s);
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_phase_owes_what_it_owes) {
  BOOST_TEST(owed(given(job_phase::queued)) == "");
  BOOST_TEST(owed(given(job_phase::held)) == "");
  BOOST_TEST(owed(given(job_phase::waiting)) == "wake 3600");
  BOOST_TEST(owed(given(job_phase::assigned)) == "start 1 on borg");
  for (auto phase : {job_phase::started, job_phase::exiting, job_phase::finished, job_phase::forgotten})
    BOOST_TEST(owed(given(phase)) == "");
}

BOOST_AUTO_TEST_CASE(a_deleted_run_owes_its_signals_until_it_ends) {
  for (auto phase : {job_phase::assigned, job_phase::started}) {
    auto story = given(phase);
    story.when(remove());
    BOOST_TEST(owed(story) == "SIGTERM 1 delay 10 exit 271");
    story.when(remove(true));
    BOOST_TEST(owed(story) == "SIGKILL 2 delay 0 exit 265");
    story.exits(265);
    BOOST_TEST(owed(story) == "");
  }
}

BOOST_AUTO_TEST_CASE(the_queue_says_how_long_a_deleted_program_may_take) {
  auto story = given(job_phase::started);
  story.settings.queues["workq"].attributes.set(attributes::queue::kill_delay, "3");
  story.when(remove());
  BOOST_TEST(owed(story) == "SIGTERM 1 delay 3 exit 271");
  for (const char* of_an_older_log : {"-1", "", "soon", "99999999999999999999"}) {
    story.settings.queues["workq"].attributes.set(attributes::queue::kill_delay, of_an_older_log);
    BOOST_TEST(owed(story) == "SIGTERM 1 delay 10 exit 271");
  }
}

// pbs guide: resend_term_delay, 5 where nobody has set it.
BOOST_AUTO_TEST_CASE(the_server_says_whether_sigterm_comes_again) {
  auto story = given(job_phase::started);
  story.when(remove());
  const auto again_s = [&] {
    for (const auto& effect : model::pending_effects(story.job, story.settings))
      if (const auto* s = std::get_if<model::signal_run>(&effect)) return static_cast<int>(s->resend_term_s);
    return -1;
  };
  BOOST_TEST(again_s() == 5);
  for (const auto& [set, seconds] :
       {std::pair{"3", 3}, {"9", 9}, {"10", 0}, {"1800", 0}, {"0", 0}, {"-1", 0}}) {  // SIGKILL follows after 10
    story.settings.server.set(attributes::server::resend_term_delay, set);
    BOOST_TEST(again_s() == seconds);
  }
  story.settings.server.set(attributes::server::resend_term_delay, "3");
  story.settings.queues["workq"].attributes.set(attributes::queue::kill_delay, "3");
  BOOST_TEST(again_s() == 0);
  story.settings.queues["workq"].attributes.set(attributes::queue::kill_delay, "4");
  BOOST_TEST(again_s() == 3);
  story.when(remove(true));
  BOOST_TEST(again_s() == 0);  // SIGKILL
}

BOOST_AUTO_TEST_CASE(a_rerun_run_owes_a_kill_that_is_not_its_own_end) {
  auto story = given(job_phase::started);
  story.when(rerun(), manager());
  BOOST_TEST(owed(story) == "SIGKILL 3 delay 0 exit -11");
}
