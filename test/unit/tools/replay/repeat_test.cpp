// Recorded cycles are repeated decision by decision, and what differs is named.
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include "test/support/recorded_lives.hpp"
#include "tools/replay/repeat.hpp"

using namespace annals;
using namespace annals::test;

namespace {

constexpr const char* config = "round_robin: False all\nby_queue: True all\nresources: \"ncpus\"\n";

replay::repeat_outcome repeated(const recorded_cluster& c, const std::string& scheduler = {}, std::uint64_t since = 1) {
  return replay::repeat(log::log_reader(c.store), {since, c.store.last_sequence()}, scheduler, [] { return true; });
}

}  // namespace

BOOST_AUTO_TEST_CASE(jobs_of_a_reservation_and_those_that_wait_for_it_are_decided_again) {
  recorded_cluster c(config, 1, 4);
  const auto r = c.reserve("alice", 3, 100, 600);
  c.cycle("new reservation");
  BOOST_REQUIRE(c.reservation(r).phase == model::reservation_phase::confirmed);
  const auto id = c.reservation(r).id;
  const auto within = c.submit("alice", 3, 300, id);
  const auto waits = c.submit("bob", 2, 50, "workq", {{"walltime", "00:05:00"}});
  const auto ends_before = c.submit("bob", 4, 50, "workq", {{"walltime", "00:01:00"}});
  c.cycle();
  BOOST_TEST(c.now.job(ends_before)->allocated.exec_vnode() == "(n1:ncpus=4)");
  c.later(60);
  BOOST_TEST(c.now.shown(*c.now.job(waits), attributes::job::comment) == "Not Running: Job would conflict with reservation or top job");
  c.later(100);
  BOOST_TEST(c.reservation(r).running == 1u);
  BOOST_TEST(c.now.job(within)->allocated.exec_vnode() == "(n1:ncpus=3)");
  const auto second_within = c.submit("alice", 2, 10'000, id);
  c.cycle();
  c.later(300);
  BOOST_TEST(c.now.job(second_within)->allocated.exec_vnode() == "(n1:ncpus=2)");
  BOOST_TEST(c.now.job(waits)->allocated.exec_vnode().empty());
  c.later(300);  // the window closes, and with it goes what is in its queue
  BOOST_TEST(!c.now.queues().contains(id));
  BOOST_TEST((c.now.job(second_within)->phase == model::job_phase::finished));
  BOOST_TEST(c.now.job(waits)->run == 1u);
  const auto outcome = repeated(c);
  BOOST_TEST(outcome.answers == 1u);
  BOOST_TEST(outcome.proposals == 4u);
  BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
}

BOOST_AUTO_TEST_CASE(every_cycle_of_a_life_with_reservations_is_decided_again) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    recorded_cluster c(std::string(config) + "strict_ordering: True all\n");
    c.starts_first = seed % 3 == 1;
    c.answers_late = seed % 3 == 2;
    live_with_reservations(c, seed, 300);
    const auto outcome = repeated(c);
    BOOST_TEST(outcome.trouble == "");
    BOOST_TEST(outcome.answers > 5u);
    BOOST_TEST(outcome.proposals > 20u);
    BOOST_TEST(outcome.reasons > 20u);
    BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
  }
}

BOOST_AUTO_TEST_CASE(an_answer_that_was_another_is_named) {
  recorded_cluster c(config, 2, 4);
  c.answers_late = true;  // one that is written before it counts
  const auto r = c.reserve("alice", 3, 100, 600);
  c.cycle("new reservation");
  const auto ask = *c.reservation(r).ask;
  c.write(r, [&](auto e) {
    auto confirmed = e.initReservation().initConfirmed();
    confirmed.setScheduler("default");
    confirmed.setCycle(1);
    confirmed.setAsk(ask.number);
    auto place = confirmed.initOccurrences(1)[0];
    place.setIndex(1);
    place.setStartNs(ask.wanted[0].start_ns);
    place.setEndNs(ask.wanted[0].end_ns);
    place.setExecVnode("(n2:ncpus=3)");
  });
  c.cycle();
  const auto outcome = repeated(c);
  BOOST_TEST(outcome.differing == 1u);
  BOOST_REQUIRE(outcome.differences.size() == 1u);
  const auto at = " at " + std::to_string(ask.wanted[0].start_ns / second);
  BOOST_TEST(outcome.differences[0].job == c.reservation(r).id);
  BOOST_TEST(outcome.differences[0].recorded == "(n2:ncpus=3)" + at);
  BOOST_TEST(outcome.differences[0].now == "(n1:ncpus=3)" + at);
}

BOOST_AUTO_TEST_CASE(an_answer_is_that_of_the_cycle_that_gave_it) {
  recorded_cluster c(config, 1, 4);
  for (const bool late : {true, false}) {
    c.answers_late = late;
    c.starts_first = !late;
    c.reserve("alice", 1, 100, 600);
    c.cycle("new reservation");
    c.cycle();
  }
  std::vector<replay::recorded_cycle> cycles;
  BOOST_REQUIRE(static_cast<bool>(replay::read_cycles(
      log::log_reader(c.store), {1, c.store.last_sequence()}, [] { return true; }, cycles)));
  std::vector<std::size_t> answers;
  for (const auto& cycle : cycles) answers.push_back(cycle.answers.size());
  BOOST_TEST(answers == (std::vector<std::size_t>{1, 0, 0, 1, 0, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_was_said_before_the_first_cycle_asked_for_is_known) {
  recorded_cluster c(std::string(config) + "strict_ordering: True all\n");
  live_with_reservations(c, 2, 200);
  std::uint64_t cycles = UINT64_MAX;
  for (std::uint64_t since = 1; since < c.store.last_sequence(); since += 97) {
    const auto outcome = repeated(c, {}, since);
    BOOST_TEST(outcome.cycles <= cycles);
    BOOST_TEST(outcome.same == outcome.cycles, "since " << since << ": " << replay::repeat_text(outcome));
    cycles = outcome.cycles;
  }
  BOOST_TEST(cycles < 60u);
}

BOOST_AUTO_TEST_CASE(every_cycle_of_an_invented_life_is_decided_again_as_recorded) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    recorded_cluster c(config);
    live(c, seed, 300);
    const auto outcome = repeated(c);
    BOOST_TEST(outcome.trouble == "");
    BOOST_TEST(outcome.cycles > 100u);
    BOOST_TEST(outcome.proposals > 20u);
    BOOST_TEST(outcome.reasons > 20u);
    BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
    BOOST_TEST(outcome.differing == 0u);
  }
}

BOOST_AUTO_TEST_CASE(cycles_that_leave_refused_jobs_out_are_decided_again_as_recorded) {
  recorded_cluster c(config, 1, 4);
  c.follows_refusals = true;
  const auto big = c.submit("alice", 4, 100), also = c.submit("alice", 3, 100), small = c.submit("bob", 2, 100);
  c.unwanted = {big, also};
  c.cycle();
  BOOST_TEST(c.now.job(small)->run == 1u);
  for (const auto job : {big, also}) {
    BOOST_TEST(c.now.job(job)->run == 0u);
    BOOST_TEST(c.now.shown(*c.now.job(job), attributes::job::comment) == "Not Running: PBS Error: no");
  }
  c.unwanted.clear();
  c.later(200);
  BOOST_TEST(c.now.job(big)->run == 1u);
  const auto outcome = repeated(c);
  BOOST_TEST(outcome.cycles >= 4u);
  BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
  for (unsigned seed = 1; seed <= 4; ++seed) {
    recorded_cluster invented(config);
    invented.follows_refusals = true;
    live(invented, seed, 300);
    const auto again = repeated(invented);
    BOOST_TEST(again.same == again.cycles, replay::repeat_text(again));
  }
}

BOOST_AUTO_TEST_CASE(a_start_that_was_written_before_its_cycle_is_that_cycles) {
  recorded_cluster c(config);
  c.starts_first = true;
  live(c, 5, 300);
  const auto outcome = repeated(c);
  BOOST_TEST(outcome.proposals > 20u);
  BOOST_TEST(outcome.differing == 0u, replay::repeat_text(outcome));
}

BOOST_AUTO_TEST_CASE(cycles_with_fairshare_are_decided_again_as_recorded) {
  recorded_cluster c("fair_share: True all\nby_queue: False all\nfairshare_usage_res: ncpus\nresources: \"ncpus\"\n");
  live(c, 3, 300);
  const auto outcome = repeated(c);
  BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
}

BOOST_AUTO_TEST_CASE(another_policy_of_the_site_counts_from_its_first_cycle_on) {
  recorded_cluster c(config);
  live(c, 4, 60);
  c.set_policy("by_queue: False all\nresources: \"ncpus\"\n");
  live(c, 5, 60);
  const auto outcome = repeated(c);
  BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
}

BOOST_AUTO_TEST_CASE(walltimes_that_were_shrunk_are_decided_again) {
  recorded_cluster c(std::string(config) + "strict_ordering: True all\n", 1, 4);
  c.submit("alice", 3, 600, "workq", {{"walltime", "00:10:00"}});
  c.cycle();
  c.submit("alice", 4, 10, "workq", {{"walltime", "00:01:00"}});
  const auto shrinks = c.submit("bob", 1, 10'000, "workq", {{"min_walltime", "00:01:00"}, {"max_walltime", "01:00:00"}});
  c.cycle();
  BOOST_TEST(c.now.job(shrinks)->attribute(attributes::job::Resource_List, "walltime") == "00:10:00");
  c.later(2000);
  auto outcome = repeated(c);
  BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
  // A run of another walltime than its cycle proposed.
  const auto other = c.submit("bob", 1, 10, "workq", {{"min_walltime", "00:01:00"}, {"max_walltime", "01:00:00"}});
  c.alters_walltime = 60;
  c.cycle();
  BOOST_TEST(c.now.job(other)->attribute(attributes::job::Resource_List, "walltime") == "00:01:00");
  outcome = repeated(c);
  BOOST_REQUIRE(outcome.differences.size() == 1u);
  BOOST_TEST(outcome.differences[0].recorded == "on (n1:ncpus=1) for 00:01:00");
  BOOST_TEST(outcome.differences[0].now == "on (n1:ncpus=1) for 01:00:00");
}

BOOST_AUTO_TEST_CASE(jobs_that_rest_after_failed_starts_are_no_part_of_a_cycle_that_is_decided_again) {
  recorded_cluster c(config, 1, 4);
  const auto fails = c.submit("alice", 4, 100), other = c.submit("bob", 2, 3);
  c.failing = {fails};
  c.cycle();
  c.cycle("job ended");  // the one that failed rests
  BOOST_TEST(c.now.job(fails)->run == 1u);
  BOOST_TEST(c.now.job(other)->run == 1u);
  c.later(20);  // 1, 2, 4 ... s
  BOOST_TEST(c.now.job(fails)->run > 2u);
  const auto late = c.submit("bob", 1, 50);
  c.cycle();
  BOOST_TEST(c.now.job(late)->run == 1u);
  const auto outcome = repeated(c);
  BOOST_TEST(outcome.cycles > 5u);
  BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
}

// The last moment that a job rests, and the first that it does not.
BOOST_AUTO_TEST_CASE(a_rest_ends_at_its_time) {
  recorded_cluster c(config, 1, 4);
  const auto fails = c.submit("alice", 1, 100);
  c.failing = {fails};
  c.cycle();
  c.failing.clear();
  const auto until = c.now.job(fails)->rests_until_ns;
  c.clock.ns = until - 1;
  c.cycle("scheduling iteration");
  BOOST_TEST(c.now.job(fails)->run == 1u);
  c.clock.ns = until;
  c.cycle("scheduling iteration");
  BOOST_TEST(c.now.job(fails)->run == 2u);
  const auto outcome = repeated(c);
  BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
}

BOOST_AUTO_TEST_CASE(an_array_that_rests_is_no_part_of_a_cycle_that_is_decided_again) {
  recorded_cluster c(config, 1, 4);
  const auto array = c.submit_array("alice", "1-4", 2, 30);
  c.failing = {array};
  c.cycle();
  c.submit("bob", 2, 100);
  c.cycle();
  c.restart();
  c.failing.clear();
  c.later(200);
  BOOST_TEST(!c.now.job(array));  // it is over, and no history is kept
  const auto outcome = repeated(c);
  BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
}

BOOST_AUTO_TEST_CASE(jobs_whose_hooks_have_not_ended_are_no_part_of_a_cycle_that_is_decided_again) {
  recorded_cluster c(config, 1, 4);
  const auto first = c.add_hook("a"), second = c.add_hook("b");
  const auto looked_at = c.submit("alice", 4, 100);
  c.hook_ran(first, looked_at);
  const auto held = c.submit("bob", 2, 3);
  c.cycle("scheduling iteration");
  BOOST_TEST(c.now.job(looked_at)->run == 0u);
  c.write(held, [](auto e) { e.initJob().initHeld().initHolds(1).set(0, schema::HoldType::USER); });
  for (const auto hook : {first, second}) c.hook_ran(hook, held);
  c.cycle("scheduling iteration");
  BOOST_TEST(c.now.job(held)->run == 0u);
  c.hook_ran(second, looked_at);
  c.cycle();
  BOOST_TEST(c.now.job(looked_at)->run == 1u);
  const auto outcome = repeated(c);
  BOOST_TEST(outcome.cycles == 3u);
  BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
  BOOST_TEST(repeated(c, {}, c.store.last_sequence() - 3).differing == 0u);
}

// Its files can't be read, say; and the server that waits for it is started anew.
BOOST_AUTO_TEST_CASE(a_hook_that_does_not_end_is_waited_for_as_long_as_the_server_did) {
  for (const bool starts_anew : {false, true}) {
    recorded_cluster c(config, 1, 4);
    c.add_hook("a");
    const auto job = c.submit("alice", 4, 100);
    c.cycle("scheduling iteration");
    BOOST_TEST(c.now.job(job)->run == 0u);
    if (starts_anew) c.restart();
    else c.later(60);  // its alarm is 30 s
    BOOST_TEST(c.now.job(job)->run == 1u);
    c.submit("bob", 4, 100);
    c.cycle("scheduling iteration");
    const auto outcome = repeated(c);
    BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
  }
}

BOOST_AUTO_TEST_CASE(every_cycle_of_a_life_with_failed_starts_and_hooks_is_decided_again) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    recorded_cluster c(std::string(config) + "strict_ordering: True all\n");
    live_with_jobs_that_are_withheld(c, seed, 300);
    const auto outcome = repeated(c);
    BOOST_TEST(outcome.trouble == "");
    BOOST_TEST(outcome.cycles > 100u);
    BOOST_TEST(outcome.proposals > 20u);
    BOOST_TEST(outcome.reasons > 20u);
    BOOST_TEST(outcome.same == outcome.cycles, replay::repeat_text(outcome));
  }
}

BOOST_AUTO_TEST_CASE(what_differs_is_named) {
  recorded_cluster c(config, 1, 4);
  const auto first = c.submit("alice", 4, 0);
  c.submit("bob", 4, 0);
  c.cycle();
  // A cycle that claims to have said something else.
  const auto scheduler = c.now.schedulers().at("default").serial;
  c.write(scheduler, [&](auto e) {
    auto r = e.initScheduler().initCycleReasons();
    r.initTexts(1).set(0, "Not Running: another reason");
    r.initJobs(1)[0].setJob(first);
  });
  const auto outcome = repeated(c);
  BOOST_TEST(outcome.cycles == 1u);
  BOOST_TEST(outcome.same == 0u);
  BOOST_REQUIRE(outcome.differences.size() == 1u);
  BOOST_TEST(outcome.differences[0].job == "1.borg");
  BOOST_TEST(outcome.differences[0].recorded == "Not Running: another reason");
  BOOST_TEST(outcome.differences[0].now == "nothing new said");
  BOOST_TEST(replay::repeat_text(outcome).find(
                 "cycle 1 of default: 1.borg: recorded: Not Running: another reason; now: nothing new said") != std::string::npos);
  const auto json = nlohmann::json::parse(replay::repeat_json(outcome));
  BOOST_TEST(json["differing"] == 1);
  BOOST_TEST(json["differences"][0]["job"] == "1.borg");
}

BOOST_AUTO_TEST_CASE(a_cycle_that_asked_programs_is_one_cycle) {
  recorded_cluster c(config, 1, 4);
  c.submit("alice", 1, 10);
  c.cycle();
  const auto before = repeated(c);
  const auto scheduler = c.now.schedulers().at("default").serial;
  for (const bool told : {false, true})
    c.write(scheduler, [&](auto e) {
      auto b = e.initScheduler().initCycleBegan();
      b.setNumber(100);
      b.setViewSequence(c.store.last_sequence());
      const std::string hash(32, 'h');
      b.initPolicy().setHash({reinterpret_cast<const kj::byte*>(hash.data()), hash.size()});
      if (told) b.initDynamic(1)[0].setResource("lic");
    });
  c.write(scheduler, [](auto e) { e.initScheduler().initCycleEnded().setNumber(100); });
  BOOST_TEST(repeated(c).cycles == before.cycles + 1);
}

BOOST_AUTO_TEST_CASE(a_cycle_without_its_policy_is_left_out_by_name) {
  recorded_cluster c(config, 1, 4);
  const auto scheduler = c.now.schedulers().at("default").serial;
  c.write(scheduler, [&](auto e) {
    auto b = e.initScheduler().initCycleBegan();
    b.setNumber(1);
    b.setViewSequence(c.store.last_sequence());
    const std::string hash(32, 'h');
    b.initPolicy().setHash({reinterpret_cast<const kj::byte*>(hash.data()), hash.size()});
  });
  c.write(scheduler, [](auto e) { e.initScheduler().initCycleEnded().setNumber(1); });
  const auto outcome = repeated(c);
  BOOST_TEST(outcome.not_repeated == 1u);
  BOOST_REQUIRE(outcome.differences.size() == 1u);
  BOOST_TEST(outcome.differences[0].recorded == "its policy is not in the log");
}

BOOST_AUTO_TEST_CASE(only_the_cycles_of_the_scheduler_asked_for) {
  recorded_cluster c(config);
  live(c, 6, 40);
  BOOST_TEST(repeated(c, "night").cycles == 0u);
  BOOST_TEST(repeated(c, "default").cycles > 0u);
}
