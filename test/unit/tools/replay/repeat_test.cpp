// Recorded cycles are repeated decision by decision, and what differs is named.
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>
#include <random>

#include "test/support/recorded_cluster.hpp"
#include "tools/replay/repeat.hpp"

using namespace annals;
using namespace annals::test;

namespace {

constexpr const char* config = "round_robin: False all\nby_queue: True all\nresources: \"ncpus\"\n";

replay::repeat_outcome repeated(const recorded_cluster& c, const std::string& scheduler = {}) {
  return replay::repeat(log::log_reader(c.store), {1, c.store.last_sequence()}, scheduler, [] { return true; });
}

void live(recorded_cluster& c, unsigned seed, int steps) {
  std::mt19937 random(seed);
  for (int i = 0; i < steps; ++i) {
    switch (random() % 8) {
      case 0: c.later(random() % 200); break;
      case 1: c.refuses = random() % 4 == 0; break;
      case 2:
        if (random() % 5 == 0) c.add_queue("q" + std::to_string(i), std::to_string(random() % 10));
        if (random() % 5 == 0) c.add_host("late" + std::to_string(i), 1 + random() % 8);
        break;
      case 3:
        if (random() % 6 == 0) c.connect();
        break;
      case 4: c.cycle("scheduling iteration"); break;
      default:
        c.submit("user" + std::to_string(random() % 3), 1 + random() % 9, 1 + random() % 300);
        if (random() % 2) c.cycle();
    }
  }
}

}  // namespace

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
