// Stories of the whole cluster from seeds (TigerBeetle's habit).
#include "test/sim/seeds.hpp"

using namespace annals;
using sim::holds_for_seeds, sim::often, sim::sometimes;

namespace {

bool found_within(sim::options o, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    o.seed = seed;
    if (!sim::world(o).run().empty()) return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stories)

BOOST_AUTO_TEST_CASE(a_quiet_day_ends_every_job_once) { holds_for_seeds({.jobs = 30}, 5); }

BOOST_AUTO_TEST_CASE(server_crashes_lose_nothing) { holds_for_seeds({.server_crash = often}, 15); }

BOOST_AUTO_TEST_CASE(a_server_that_always_starts_from_a_checkpoint_loses_nothing) {
  holds_for_seeds({.server_crash = often, .history_s = 30, .checkpoints = 1}, 10);
  holds_for_seeds({.server_crash = often, .mom_crash = sometimes, .link_break = sometimes, .by_hand = 0.05, .checkpoints = 1}, 10);
}

BOOST_AUTO_TEST_CASE(mom_crashes_lose_nothing_and_run_nothing_twice) { holds_for_seeds({.mom_crash = often}, 15); }

BOOST_AUTO_TEST_CASE(lost_late_and_repeated_messages_change_nothing) { holds_for_seeds({.link_break = often}, 15); }

BOOST_AUTO_TEST_CASE(a_full_disk_refuses_and_resumes) { holds_for_seeds({.disk_full = often}, 15); }

BOOST_AUTO_TEST_CASE(failed_syncs_stop_the_server_and_lose_nothing) { holds_for_seeds({.sync_failure = 0.02}, 10); }

BOOST_AUTO_TEST_CASE(an_uncertain_log_answers_late_and_loses_nothing) {
  holds_for_seeds({.uncertain = 0.2}, 8);
  holds_for_seeds({.server_crash = often, .uncertain = 0.2}, 12);
}

BOOST_AUTO_TEST_CASE(what_an_operator_does_by_hand_breaks_nothing) {
  holds_for_seeds({.jobs = 30, .by_hand = 0.05}, 10);
  holds_for_seeds(
      {.server_crash = sometimes, .mom_crash = sometimes, .scheduler_crash = sometimes, .link_break = sometimes, .by_hand = 0.05}, 25);
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_wrong_for_a_moment_stops_nothing_and_is_believed_again) {
  holds_for_seeds({.clock_step = sometimes}, 15);
  holds_for_seeds({.server_crash = sometimes, .mom_crash = sometimes, .link_break = sometimes, .by_hand = 0.05, .clock_step = sometimes},
                  15);
}

BOOST_AUTO_TEST_CASE(everything_at_once) {
  holds_for_seeds({.server_crash = sometimes,
                   .mom_crash = sometimes,
                   .scheduler_crash = sometimes,
                   .link_break = sometimes,
                   .sync_failure = 0.005,
                   .disk_full = sometimes},
                  25);
}

// A job whose files don't come waits half an hour and is tried again.
BOOST_AUTO_TEST_CASE(files_come_before_a_job_and_go_with_it) {
  holds_for_seeds({.jobs = 10, .staging = 0.7, .failing_copies = 0.3}, 3);
  holds_for_seeds({.jobs = 10, .mom_crash = often, .link_break = sometimes, .staging = 0.7, .failing_copies = 0.1}, 6);
  holds_for_seeds(
      {.moms = 3, .jobs = 8, .server_crash = sometimes, .mom_crash = sometimes, .wide = 0.5, .staging = 0.7, .failing_copies = 0.1}, 4);
}

BOOST_AUTO_TEST_CASE(a_mom_may_crash_at_every_event_of_a_run_whose_files_come_first) {
  for (std::uint64_t n = 1; n <= 14; ++n) {
    sim::options o{.seed = n, .moms = 1, .jobs = 1, .staging = 1, .failing_copies = n % 2 ? 0.5 : 0};
    o.crash_mom_at_append = n;
    const auto why = sim::world(o).run();
    BOOST_REQUIRE_MESSAGE(why.empty(), why + " (crash at append " + std::to_string(n) + ")");
  }
}

BOOST_AUTO_TEST_CASE(the_history_of_every_job_ends_when_its_time_is_over) {
  holds_for_seeds({.server_crash = sometimes, .disk_full = sometimes, .history_s = 90}, 10);
}

// -- jobs on several hosts (docs/design/0020-jobs-across-hosts.md) ------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_quiet_day_of_wide_jobs_ends_every_job_once) { holds_for_seeds({.moms = 3, .jobs = 12, .wide = 0.7}, 5); }

BOOST_AUTO_TEST_CASE(wide_jobs_survive_their_moms) { holds_for_seeds({.moms = 3, .jobs = 12, .mom_crash = sometimes, .wide = 0.7}, 15); }

BOOST_AUTO_TEST_CASE(wide_jobs_survive_the_server) { holds_for_seeds({.moms = 3, .jobs = 12, .server_crash = sometimes, .wide = 0.7}, 10); }

BOOST_AUTO_TEST_CASE(wide_jobs_survive_broken_links) { holds_for_seeds({.moms = 3, .jobs = 12, .link_break = often, .wide = 0.7}, 15); }

BOOST_AUTO_TEST_CASE(a_host_that_can_not_join_has_the_job_queued_again) {
  holds_for_seeds({.moms = 3, .jobs = 10, .wide = 0.7, .refused_places = 0.2}, 5);
}

BOOST_AUTO_TEST_CASE(a_hostile_node_gets_nothing_and_disturbs_nobody) {
  holds_for_seeds({.moms = 3, .jobs = 10, .wide = 0.8, .hostile_node = true}, 10);
}

BOOST_AUTO_TEST_CASE(tasks_are_started_once_and_end_with_their_job) {
  holds_for_seeds({.moms = 3, .jobs = 10, .wide = 0.7, .tasks = 0.8}, 5);
  holds_for_seeds({.moms = 3, .jobs = 10, .mom_crash = sometimes, .link_break = sometimes, .wide = 0.7, .tasks = 0.8}, 15);
}

BOOST_AUTO_TEST_CASE(everything_at_once_with_wide_jobs) {
  holds_for_seeds({.moms = 4,
                   .jobs = 12,
                   .server_crash = sometimes,
                   .mom_crash = sometimes,
                   .scheduler_crash = sometimes,
                   .link_break = sometimes,
                   .disk_full = sometimes,
                   .wide = 0.7,
                   .tasks = 0.5,
                   .refused_places = 0.05},
                  25);
}

BOOST_AUTO_TEST_CASE(a_mom_may_crash_at_every_event_of_a_wide_run) {
  for (std::uint64_t n = 1; n <= 20; ++n) {
    sim::options o{.seed = n, .moms = 3, .jobs = 2, .wide = 1};
    o.crash_mom_at_append = n;
    const auto why = sim::world(o).run();
    BOOST_REQUIRE_MESSAGE(why.empty(), why + " (crash at append " + std::to_string(n) + ")");
  }
}

BOOST_AUTO_TEST_CASE(the_server_may_crash_at_every_event_of_a_job) {
  for (std::uint64_t n = 1; n <= 25; ++n) {
    sim::options o{.seed = n, .moms = 1, .jobs = 1};
    o.crash_server_at_append = n;
    const auto why = sim::world(o).run();
    BOOST_REQUIRE_MESSAGE(why.empty(), why + " (crash at append " + std::to_string(n) + ")");
  }
}

BOOST_AUTO_TEST_CASE(the_server_may_start_from_a_checkpoint_of_any_event_of_a_job) {
  std::size_t starts = 0;
  for (std::uint64_t n = 1; n <= 50; ++n) {
    sim::options o{.seed = n, .moms = 1, .jobs = 1, .checkpoints = 1};
    o.crash_server_at_append = 1 + n / 2;
    sim::world w(o);
    const auto why = w.run();
    BOOST_REQUIRE_MESSAGE(why.empty(), why + " (crash at append " + std::to_string(o.crash_server_at_append) + ")");
    starts += w.starts_from_checkpoints();
  }
  BOOST_TEST(starts >= 25u);  // not every job has so many events that the crash happens
}

BOOST_AUTO_TEST_CASE(a_mom_may_crash_at_every_event_of_a_run) {
  for (std::uint64_t n = 1; n <= 12; ++n) {
    sim::options o{.seed = n, .moms = 1, .jobs = 1};
    o.crash_mom_at_append = n;
    const auto why = sim::world(o).run();
    BOOST_REQUIRE_MESSAGE(why.empty(), why + " (crash at append " + std::to_string(n) + ")");
  }
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_history) {
  sim::options o{.seed = 7, .server_crash = sometimes, .mom_crash = sometimes, .link_break = sometimes};
  sim::world a(o), b(o);
  BOOST_TEST(a.run() == "");
  BOOST_TEST(b.run() == "");
  BOOST_TEST(a.digest() == b.digest());
}

// -- the simulation can find bugs ----------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(an_early_reply_is_found) { BOOST_TEST(found_within({.server_crash = 0.002, .early_reply = true}, 20)); }

BOOST_AUTO_TEST_CASE(a_lost_effect_is_found) { BOOST_TEST(found_within({.lost_effect = 0.05}, 5)); }

BOOST_AUTO_TEST_CASE(a_vnode_assigned_twice_is_found) {
  BOOST_TEST(found_within({.foolish_scheduler = true, .blind_ledger = true}, 1));
}

BOOST_AUTO_TEST_CASE(the_ledger_stands_up_to_a_foolish_scheduler) { holds_for_seeds({.jobs = 8, .foolish_scheduler = true}, 3); }

BOOST_AUTO_TEST_SUITE_END()
