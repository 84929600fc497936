// What would have happened with another policy.
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include "test/support/recorded_cluster.hpp"
#include "tools/replay/comparison.hpp"

using namespace annals;
using namespace annals::test;

namespace {

constexpr const char* fifo = "by_queue: False all\nround_robin: False all\nresources: \"ncpus\"\n";
constexpr const char* by_queue = "by_queue: True all\nround_robin: False all\nresources: \"ncpus\"\n";

struct tried {
  replay::histories recorded;
  replay::simulation_outcome simulated;
  replay::comparison compared;

  tried(const recorded_cluster& c, const std::string& policy) {
    const log::log_reader reader(c.store);
    const auto go_on = [] { return true; };
    BOOST_REQUIRE(static_cast<bool>(replay::read_histories(reader, c.store.last_sequence(), "default", go_on, recorded)));
    simulated = replay::simulate(reader, recorded, {"default", policy}, go_on);
    BOOST_TEST(simulated.trouble == "");
    compared = replay::compare(recorded, simulated);
  }
  // Seconds that the job waited.
  std::int64_t wait(std::size_t job) const {
    return (simulated.jobs[job].first_start_ns - recorded.jobs[job].queued_ns + second / 2) / second;
  }
  std::int64_t recorded_wait(std::size_t job) const {
    return (recorded.jobs[job].first_start_ns - recorded.jobs[job].queued_ns + second / 2) / second;
  }
};

// Three jobs that need the whole cluster, one after the other; the last stands in a queue of higher priority.
struct three_jobs : recorded_cluster {
  three_jobs() : recorded_cluster(fifo, 1, 4) {
    add_queue("express", "100");
    submit("alice", 4, 100);
    cycle();
    later(1);
    submit("alice", 4, 50);
    submit("bob", 4, 10, "express");
    cycle();
    later(1000);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_policy_of_then_gives_the_waits_of_then) {
  const three_jobs c;
  const tried t(c, fifo);
  for (std::size_t job = 0; job < 3; ++job) BOOST_TEST(t.wait(job) == t.recorded_wait(job));
  BOOST_TEST(t.wait(2) == 149);
  BOOST_TEST(t.compared.all.jobs == 3u);
  BOOST_TEST(t.compared.all.sooner + t.compared.all.later == 0u);
  BOOST_TEST(std::abs(t.compared.all.cpu_now - t.compared.all.cpu_then) <= 1);
}

BOOST_AUTO_TEST_CASE(another_policy_moves_what_it_moves) {
  const three_jobs c;
  const tried t(c, by_queue);
  BOOST_TEST(t.wait(0) == 0);
  BOOST_TEST(t.wait(2) == 99);   // first, when the place is free
  BOOST_TEST(t.wait(1) == 109);  // and the other after it
  BOOST_TEST(t.compared.all.sooner == 1u);
  BOOST_TEST(t.compared.all.later == 1u);
  BOOST_REQUIRE(t.compared.users.size() == 2u);
  BOOST_TEST(t.compared.users[0].name == "bob");  // who wins most comes first
  BOOST_TEST(t.compared.users[0].mean_wait_then - t.compared.users[0].mean_wait_now > 49'000);
  BOOST_TEST(t.compared.users[1].name == "alice");
  const auto json = nlohmann::json::parse(replay::comparison_json(t.compared));
  BOOST_TEST(json["users"][0]["name"] == "bob");
  BOOST_TEST(json["all"]["sooner"] == 1);
  BOOST_TEST(replay::comparison_text(t.compared).find("start sooner") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_reservation_is_when_and_where_it_was) {
  recorded_cluster c(fifo, 1, 4);
  const auto r = c.reserve("alice", 3, 100, 600);
  c.cycle("new reservation");
  c.submit("alice", 3, 300, c.reservation(r).id);
  c.submit("bob", 2, 50, "workq", {{"walltime", "00:05:00"}});
  c.submit("bob", 4, 50, "workq", {{"walltime", "00:01:00"}});
  c.cycle();
  c.later(1000);
  c.change_server("scheduling", "True");  // the history lasts until here
  const tried t(c, fifo);
  for (std::size_t job = 0; job < 3; ++job) BOOST_TEST(t.wait(job) == t.recorded_wait(job));
  BOOST_TEST(t.wait(0) == 100);  // its window opens
  BOOST_TEST(t.wait(1) == 700);  // and closes
  BOOST_TEST(t.wait(2) == 0);
}

// Its time was used up, so it uses up what it gets.
BOOST_AUTO_TEST_CASE(a_shrunk_job_has_its_time_of_the_simulation) {
  const auto strict = std::string(fifo) + "strict_ordering: True all\n";
  for (const std::int64_t works_for : {10'000, 300}) {
    recorded_cluster c(strict, 1, 4);
    c.submit("alice", 3, 600, "workq", {{"walltime", "00:10:00"}});
    c.cycle();
    c.submit("alice", 4, 10, "workq", {{"walltime", "00:01:00"}});
    c.submit("bob", 1, works_for, "workq", {{"min_walltime", "00:01:00"}, {"max_walltime", "01:00:00"}});
    c.cycle();
    c.later(9000);
    c.change_server("scheduling", "True");  // the history lasts until here
    const auto ran = [](const tried& t) {
      return (t.simulated.jobs[2].ended_ns - t.simulated.jobs[2].first_start_ns + second / 2) / second;
    };
    BOOST_TEST(ran(tried(c, strict)) == std::min<std::int64_t>(works_for, 600));
    BOOST_TEST(ran(tried(c, fifo)) == std::min<std::int64_t>(works_for, 3600));
  }
}

BOOST_AUTO_TEST_CASE(a_job_that_was_deleted_while_it_waited_ends_then) {
  recorded_cluster c(fifo, 1, 4);
  c.submit("alice", 4, 100);
  c.cycle();
  const auto waits = c.submit("bob", 4, 10);
  c.cycle();
  c.later(50);
  c.write(waits, [](auto e) { e.initJob().initDeleteRequested(); });
  c.write(waits, [](auto e) { e.initJob().initEnded(); });
  c.later(200);
  const tried t(c, fifo);
  BOOST_TEST(t.simulated.jobs[1].first_start_ns == 0);
  BOOST_TEST((t.simulated.jobs[1].ended_ns - t.recorded.began_ns) / second == 50);
  BOOST_TEST(t.compared.all.started_now == 1u);
}

BOOST_AUTO_TEST_CASE(a_job_that_still_runs_is_charged_until_the_log_ends) {
  recorded_cluster c(fifo, 1, 4);
  c.submit("alice", 2, 0);
  c.cycle();
  c.later(100);
  c.change_server("comment", "the end");
  const tried t(c, fifo);
  BOOST_TEST(t.compared.all.cpu_then == 200);
  BOOST_TEST(std::abs(t.compared.all.cpu_now - 200) <= 1);
  BOOST_TEST(std::abs(t.compared.capacity_cpu_ns / second - 400) <= 4);
}

BOOST_AUTO_TEST_CASE(fairshare_counts_what_was_used_in_the_simulation) {
  recorded_cluster c(fifo, 1, 4);
  c.submit("alice", 4, 100);
  c.cycle();
  c.later(1);
  c.submit("alice", 4, 100);
  c.submit("bob", 4, 100);
  c.cycle();
  c.later(1000);
  const tried t(c,
                "fair_share: True all\nby_queue: False all\nround_robin: False all\nfairshare_usage_res: ncpus\nresources: "
                "\"ncpus\"\nunknown_shares: 10\n");
  BOOST_TEST(t.wait(2) < t.wait(1));  // bob has used nothing
}

BOOST_AUTO_TEST_CASE(what_the_policy_names_and_is_not_there_is_told) {
  const three_jobs c;
  BOOST_TEST(tried(c, fifo).simulated.names_without_meaning.empty());
  const std::vector<std::string> expected{"resources: nosuch is no resource and is not looked at",
                                          "fairshare_usage_res: foo is no amount of a resource and counts as 0"};
  const tried t(c, std::string(fifo) + "resources: \"ncpus, nosuch\"\nfairshare_usage_res: ncpus*foo\n");
  BOOST_TEST(t.simulated.names_without_meaning == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_formula_that_names_shares_counts_what_was_used_in_the_simulation) {
  recorded_cluster c(fifo, 1, 4);
  c.change_server("job_sort_formula", "-fairshare_tree_usage");
  c.submit("alice", 4, 100);
  c.cycle();
  c.later(1);
  c.submit("alice", 4, 100);
  c.submit("bob", 4, 100);
  c.cycle();
  c.later(1000);
  const tried t(c, "by_queue: False all\nround_robin: False all\nfairshare_usage_res: ncpus\nresources: \"ncpus\"\nunknown_shares: 10\n");
  BOOST_TEST(t.recorded_wait(1) < t.recorded_wait(2));
  BOOST_TEST(t.wait(2) < t.wait(1));  // bob has used nothing
}

// The driver asks for the whole view then.
BOOST_AUTO_TEST_CASE(a_formula_that_comes_later_and_names_shares_stops_no_simulation) {
  recorded_cluster c(fifo, 1, 4);
  c.submit("alice", 4, 100);
  c.cycle();
  c.later(1);
  c.change_server("job_sort_formula", "fairshare_perc");
  c.submit("bob", 4, 100);
  c.cycle();
  c.later(1000);
  const tried t(c, fifo);
  BOOST_TEST(t.wait(1) == 99);
  BOOST_TEST(t.recorded_wait(1) == 99);
}

// An array of three that need the whole cluster, and a job in a queue of higher priority that comes a second later.
struct an_array : recorded_cluster {
  std::uint64_t array = 0;
  explicit an_array(const char* policy = fifo, std::int64_t bobs_seconds = 10) : recorded_cluster(policy, 1, 4) {
    add_queue("express", "100");
    array = submit_array("alice", "1-3", 4, 100);
    cycle();
    later(1);
    submit("bob", 4, bobs_seconds, "express");
    cycle();
  }
  static std::size_t place(const tried& t, std::uint32_t index) { return t.recorded.subjobs.begin()->second.at(index); }
};

BOOST_AUTO_TEST_CASE(subjobs_begin_when_the_policy_lets_them) {
  an_array c;
  c.later(1000);
  const tried then(c, fifo);
  BOOST_TEST(then.compared.all.jobs == 4u);  // the subjobs, not their array
  for (std::uint32_t index = 1; index <= 3; ++index) {
    const auto at = an_array::place(then, index);
    BOOST_TEST(then.wait(at) == then.recorded_wait(at));
    BOOST_TEST(then.wait(at) == (index - 1) * 100);
    BOOST_TEST(then.recorded.jobs[at].id == "1[" + std::to_string(index) + "].borg");
  }
  BOOST_TEST(then.compared.all.sooner + then.compared.all.later == 0u);
  const tried now(c, by_queue);
  BOOST_TEST(now.wait(an_array::place(now, 1)) == 0);
  BOOST_TEST(now.wait(an_array::place(now, 2)) == 110);  // bob's job is before it
  BOOST_TEST(now.wait(an_array::place(now, 3)) == 210);
  BOOST_TEST(now.compared.all.sooner == 1u);
  BOOST_TEST(now.compared.all.later == 2u);
  BOOST_TEST(std::abs(now.compared.all.cpu_now - now.compared.all.cpu_then) <= 1);
}

BOOST_AUTO_TEST_CASE(subjobs_that_were_deleted_before_they_ran_are_never_run) {
  an_array c;
  c.later(150);  // the second one runs
  c.write(c.array, [](auto e) {
    auto asked = e.initJob().initSubjobsAsked();
    asked.setIndices("3");
    asked.setWaiting("3");
    asked.setWaitingCount(1);
  });
  c.later(1000);
  const tried t(c, by_queue);
  BOOST_TEST(t.wait(an_array::place(t, 2)) == 110);
  BOOST_TEST(!t.recorded.subjobs.begin()->second.contains(3));
  BOOST_TEST(t.compared.all.started_now == 3u);
}

BOOST_AUTO_TEST_CASE(a_subjob_that_never_ran_may_run_in_the_simulation) {
  an_array c(by_queue, 1000);
  c.later(500);
  c.change_server("comment", "the end");
  const tried t(c, fifo);
  const auto second_one = an_array::place(t, 2);
  BOOST_TEST(t.recorded.jobs[second_one].first_start_ns == 0);
  BOOST_TEST(t.wait(second_one) == 100);
  BOOST_TEST(t.compared.all.jobs == 3u);
  BOOST_TEST(t.compared.all.started_then == 2u);  // the first, and bob's job
  BOOST_TEST(t.compared.all.started_now == 2u);   // the first, and the second
}
