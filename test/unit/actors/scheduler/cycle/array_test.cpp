// Job arrays in a cycle: one subjob after the other is placed while there is room (docs/design/0057-job-arrays.md). Log lines: pbs guide,
// "job arrays".
#include <boost/test/unit_test.hpp>

#include "actors/scheduler/cycle/cycle.hpp"
#include "events/values/job_id.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

using texts = std::vector<std::string>;
const auto all_equal = boost::test_tools::per_element();

policy shipped(const std::string& more) { return parse_policy(shipped_sched_config() + more).value; }

job_row one(std::uint64_t serial, const std::string& schedselect = "1:ncpus=1") {
  job_row j;
  j.serial = serial;
  j.id = std::to_string(serial) + ".p1";
  j.rank = static_cast<std::int64_t>(serial);
  j.schedselect = schedselect;
  return j;
}

job_row array(std::uint64_t serial, const std::string& indices, const std::string& schedselect = "1:ncpus=1") {
  auto j = one(serial, schedselect);
  j.id = std::to_string(serial) + "[].p1";
  j.indices = indices;
  return j;
}

struct cycles {
  view v;
  result r;
  policy p;
  explicit cycles(const small_cluster& c, const std::string& more = "") : p(shipped(more)) {
    v.count_by(p.sharing);
    BOOST_REQUIRE(v.apply(*c.full_view()));
  }
  void run() { r = run_cycle(v, p, some_day); }

  // "7[3]" of an array's subjob.
  texts started() const {
    texts out;
    for (const auto& run : r.runs) out.push_back(std::to_string(run.job) + (run.subjob ? "[" + std::to_string(*run.subjob) + "]" : ""));
    return out;
  }
  std::string comment_of(std::uint64_t job) const {
    for (const auto& reason : r.reasons)
      if (reason.job == job) return r.comments[reason.comment];
    return "";
  }
  texts log_of(const std::string& id) const {
    texts out;
    for (const auto& l : r.log)
      if (std::string_view(l.log_class) == "Job" && l.object.starts_with(id))
        out.push_back(std::string(l.object) + " " + std::string(l.text));
    return out;
  }
};

constexpr const char* limit_text = "Number of concurrent running subjobs limit reached";

}  // namespace

BOOST_AUTO_TEST_SUITE(arrays)

BOOST_AUTO_TEST_CASE(an_array_of_ten_on_four_cpus) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.jobs = {array(7, "1-19:2")};
  cycles o(c);
  o.run();
  BOOST_TEST(o.started() == (texts{"7[1]", "7[3]", "7[5]", "7[7]"}), all_equal);
  BOOST_TEST(o.r.runs[3].exec_host == "p1/3");
  BOOST_TEST(o.comment_of(7) == "Not Running: No available resources on nodes");
  BOOST_TEST(o.log_of("7[") == (texts{"7[].p1 Considering job to run", "7[1].p1 Job run", "7[].p1 Considering job to run",
                                      "7[3].p1 Job run", "7[].p1 Considering job to run", "7[5].p1 Job run",
                                      "7[].p1 Considering job to run", "7[7].p1 Job run", "7[].p1 Considering job to run",
                                      "7[].p1 No available resources on nodes"}),
             all_equal);
}

BOOST_AUTO_TEST_CASE(it_is_considered_no_more_when_all_of_it_runs) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.jobs = {array(7, "2,5"), one(8)};
  cycles o(c);
  o.run();
  BOOST_TEST(o.started() == (texts{"7[2]", "7[5]", "8"}), all_equal);
  BOOST_TEST(o.r.reasons.empty());
  BOOST_TEST(o.r.considered == 3u);
}

BOOST_AUTO_TEST_CASE(no_more_begin_than_may_and_nobody_is_told) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 8)};
  c.jobs = {array(7, "3-9"), one(8)};
  c.jobs[0].may_begin = 2;
  cycles o(c);
  o.run();
  BOOST_TEST(o.started() == (texts{"7[3]", "7[4]", "8"}), all_equal);
  BOOST_TEST(o.log_of("7[].p1").back() == std::string("7[].p1 ") + limit_text);
  BOOST_TEST(o.r.reasons.empty());
  c.jobs[0].may_begin = 0;
  cycles none_may(c);
  none_may.run();
  BOOST_TEST(none_may.started() == texts{"8"}, all_equal);
}

BOOST_AUTO_TEST_CASE(it_keeps_its_place_among_other_jobs) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 6)};
  c.jobs = {one(6), array(7, "1-3"), one(8), array(9, "1-3"), one(10)};
  cycles o(c);
  o.run();
  BOOST_TEST(o.started() == (texts{"6", "7[1]", "7[2]", "7[3]", "8", "9[1]"}), all_equal);
  BOOST_TEST(o.comment_of(9) == o.comment_of(10));
}

BOOST_AUTO_TEST_CASE(each_subjob_counts_as_a_job_for_run_limits) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 8)};
  c.server["max_run"] = "[u:PBS_GENERIC=3]";
  c.jobs = {array(7, "1-5"), one(8)};
  cycles o(c);
  o.run();
  BOOST_TEST(o.started() == (texts{"7[1]", "7[2]", "7[3]"}), all_equal);
  BOOST_TEST(o.comment_of(7) == "Not Running: User has reached server running job limit.");
  BOOST_TEST(o.comment_of(8) == o.comment_of(7));
}

BOOST_AUTO_TEST_CASE(one_that_is_held_is_not_looked_at) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 8)};
  c.jobs = {array(7, "1-5")};
  c.jobs[0].state = 'H';
  cycles o(c);
  o.run();
  BOOST_TEST(o.r.considered == 0u);
}

BOOST_AUTO_TEST_CASE(by_shares_it_is_one_entry) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.jobs = {array(7, "1-3"), one(8)};
  cycles o(c, "fair_share: True ALL\n");
  o.run();
  BOOST_TEST(o.started() == (texts{"7[1]", "7[2]", "7[3]", "8"}), all_equal);
}

BOOST_AUTO_TEST_CASE(its_next_subjob_is_one_top_job) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.server["backfill_depth"] = "2";
  c.jobs = {array(7, "1-9", "1:ncpus=3"), one(8, "1:ncpus=4")};
  for (auto& j : c.jobs) j.resources["walltime"] = "01:00:00";
  cycles o(c, "strict_ordering: True ALL\n");
  o.run();
  BOOST_TEST(o.started() == texts{"7[1]"}, all_equal);
  BOOST_REQUIRE(o.r.estimates.size() == 2u);
  BOOST_TEST(o.r.estimates[0].job == 7u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 3600);
  BOOST_TEST(o.r.estimates[1].job == 8u);
  BOOST_TEST(o.r.estimates[1].start == some_day + 7200);
}

BOOST_AUTO_TEST_CASE(one_that_waits_for_its_own_subjobs_is_a_top_job_for_when_one_of_them_ends) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 8)};
  c.server["backfill_depth"] = "2";
  c.jobs = {array(7, "3-9"), one(8)};
  c.jobs[0].state = 'B';
  c.jobs[0].may_begin = 0;
  for (int i = 0; i < 2; ++i) {
    auto j = one(20 + static_cast<std::uint64_t>(i));
    j.id = "7[" + std::to_string(i + 1) + "].p1";
    j.state = 'R';
    j.exec_vnode = "(p1:ncpus=1)";
    j.exec_host = "p1/" + std::to_string(i);
    j.started = some_day - 600 * i;
    c.vnodes[0].jobs.emplace_back(j.serial, false);
    c.jobs.push_back(j);
  }
  c.vnodes[0].assigned["ncpus"] = "2";
  for (auto& j : c.jobs) j.resources["walltime"] = "01:00:00";
  cycles o(c, "strict_ordering: True ALL\n");
  o.run();
  BOOST_TEST(o.started() == texts{"8"}, all_equal);
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].job == 7u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 3000);
  BOOST_TEST(o.r.estimates[0].exec_vnode == "(p1:ncpus=1)");
  BOOST_TEST(o.log_of("7[].p1").back() == std::string("7[].p1 ") + limit_text);
  BOOST_TEST(o.r.reasons.empty());

  c.jobs[1].schedselect = "1:ncpus=6";  // it would take what the subjob that comes next needs, if that did not get what ends
  c.jobs[1].resources["walltime"] = "05:00:00";
  cycles beside(c, "strict_ordering: True ALL\n");
  beside.run();
  BOOST_TEST(beside.started() == texts{"8"}, all_equal);

  c.server["backfill_depth"] = "0";
  cycles no_top(c, "strict_ordering: True ALL\n");
  no_top.run();
  BOOST_TEST(no_top.started() == texts{"8"}, all_equal);  // no room is lacking: nobody stands behind it
  BOOST_TEST(no_top.r.estimates.empty());
}

BOOST_AUTO_TEST_CASE(who_is_proposed_in_this_cycle_ends_for_it_too) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 8)};
  c.jobs = {array(7, "3-9")};
  c.jobs[0].may_begin = 2;
  c.jobs[0].resources["walltime"] = "01:00:00";
  cycles o(c, "strict_ordering: True ALL\n");
  o.run();
  BOOST_TEST(o.started() == (texts{"7[3]", "7[4]"}), all_equal);
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 3600);
}

BOOST_AUTO_TEST_CASE(subjobs_preempt_one_after_the_other) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 2)};
  c.vnodes[0].assigned = {{"ncpus", "2"}};
  c.vnodes[0].jobs = {{1, false}, {2, false}};
  c.vnodes[0].state = "job-busy";
  c.queues.push_back(execution_queue("express"));
  c.queues[1].attributes["Priority"] = "200";
  for (std::uint64_t serial : {1, 2}) {
    auto j = one(serial);
    j.state = 'R';
    j.exec_vnode = "(p1:ncpus=1)";
    j.exec_host = "p1/" + std::to_string(serial - 1);
    j.started = some_day - 100 + static_cast<std::int64_t>(serial);
    c.jobs.push_back(j);
  }
  c.jobs.push_back(array(7, "4-9"));
  c.jobs.back().queue = "express";
  cycles o(c);
  o.run();
  BOOST_TEST(o.started() == (texts{"7[4]", "7[5]"}), all_equal);
  for (const auto& run : o.r.runs) BOOST_TEST(run.victims.size() == 1u);
}

// -- until the server speaks -------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(what_is_proposed_holds_its_place_until_it_has_begun) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.jobs = {array(7, "1-9", "1:ncpus=2")};
  cycles o(c);
  o.run();
  BOOST_TEST(o.started() == (texts{"7[1]", "7[2]"}), all_equal);
  o.run();
  BOOST_TEST(o.started().empty());

  auto vnode = c.vnodes[0];
  vnode.assigned = {{"ncpus", "2"}};
  vnode.jobs = {{20, false}};
  auto subjob = one(20, "1:ncpus=2");
  subjob.id = "7[1].p1";
  subjob.state = 'R';
  subjob.exec_vnode = "(p1:ncpus=2)";
  subjob.exec_host = "p1/0*2";
  c.jobs[0].indices = "2-9";
  c.jobs[0].state = 'B';
  BOOST_REQUIRE(o.v.apply(*delta(1, 2, {c.jobs[0], subjob}, {}, {vnode}, 1)));
  const auto cpus = o.v.resources().find("ncpus");
  BOOST_TEST(o.v.vnodes()[0].in_use(cpus) == 4);  // the second is still on its way
  o.run();
  BOOST_TEST(o.started().empty());
  o.v.intake().settle_subjobs();  // it never began
  BOOST_TEST(o.v.vnodes()[0].in_use(cpus) == 2);
  o.run();
  BOOST_TEST(o.started() == texts{"7[2]"}, all_equal);
  BOOST_REQUIRE(o.v.apply(*delta(2, 3, {}, {7, 20}, {c.vnodes[0]}, 1)));
  BOOST_TEST(o.v.vnodes()[0].in_use(cpus) == 0);
  BOOST_TEST(o.v.vnodes()[0].jobs.empty());
}

BOOST_AUTO_TEST_CASE(a_refusal_gives_back_what_is_proposed_of_it) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 2)};
  c.server["max_run"] = "[u:PBS_GENERIC=2]";
  c.jobs = {array(7, "1-9")};
  cycles o(c);
  o.run();
  BOOST_TEST(o.started() == (texts{"7[1]", "7[2]"}), all_equal);
  o.v.intake().withdraw(7);
  o.run();
  BOOST_TEST(o.started() == (texts{"7[1]", "7[2]"}), all_equal);
}

BOOST_AUTO_TEST_CASE(ten_thousand_in_one_cycle) {
  small_cluster c;
  for (int i = 0; i < 100; ++i) c.vnodes.push_back(simple_vnode("n" + std::to_string(i), 100));
  c.jobs = {array(7, "1-1000000"), one(8)};
  cycles o(c);
  o.run();
  BOOST_REQUIRE(o.r.runs.size() == 10'000u);
  BOOST_TEST(*o.r.runs.back().subjob == 10'000u);
  BOOST_TEST(o.log_of("7[10000]") == texts{"7[10000].p1 Job run"}, all_equal);
  BOOST_TEST(o.log_of("7[1].p1") == texts{"7[1].p1 Job run"}, all_equal);
}

// -- qrun --------------------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_subjob_that_is_asked_for_by_name) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.jobs = {array(7, "5")};
  const auto row = c.full_view();
  c.jobs.clear();  // the array is held: it is not in the view
  cycles o(c);
  std::string why;
  const auto at = o.v.intake().take_asked((*row).getJobs()[0]);
  o.r = run_asked(o.v, o.p, some_day, at, why);
  BOOST_TEST(o.started() == texts{"7[5]"}, all_equal);
  BOOST_TEST(o.log_of("7[") == (texts{"7[5].p1 Received qrun request", "7[5].p1 Job run"}), all_equal);
  BOOST_TEST(o.v.intake().take_asked((*row).getJobs()[0]) == at);
  BOOST_TEST((o.v.jobs()[at].where == job_place::proposed));
  o.v.intake().withdraw(7);
  BOOST_TEST(o.v.jobs().find(values::subjob_number(7, 5)) == nullptr);
  BOOST_TEST(o.v.vnodes()[0].jobs.empty());
}

BOOST_AUTO_TEST_CASE(a_subjob_that_is_asked_for_suspends_others_but_none_of_its_array) {
  const auto victims_of = [](const char* running) {
    small_cluster c;
    c.vnodes = {simple_vnode("p1", 1)};
    c.vnodes[0].assigned = {{"ncpus", "1"}};
    c.vnodes[0].jobs = {{20, false}};
    c.vnodes[0].state = "job-busy";
    auto j = one(20);
    j.id = running;
    j.state = 'R';
    j.exec_vnode = "(p1:ncpus=1)";
    j.exec_host = "p1/0";
    j.started = some_day - 100;
    c.jobs = {array(7, "5")};
    const auto row = c.full_view();
    c.jobs = {j};
    cycles o(c);
    std::string why;
    o.r = run_asked(o.v, o.p, some_day, o.v.intake().take_asked((*row).getJobs()[0]), why);
    return o.r.runs.empty() ? std::size_t{0} : o.r.runs.front().victims.size();
  };
  BOOST_TEST(victims_of("7[4].p1") == 0u);
  BOOST_TEST(victims_of("17[4].p1") == 1u);
  BOOST_TEST(victims_of("20.p1") == 1u);
}

BOOST_AUTO_TEST_CASE(one_that_is_asked_for_is_passed_over_by_the_cycle) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 3)};
  c.jobs = {array(7, "1-9")};
  cycles o(c);
  auto asked = c;
  asked.jobs[0].indices = "2";
  const auto row = asked.full_view();
  std::string why;
  BOOST_TEST(run_asked(o.v, o.p, some_day, o.v.intake().take_asked((*row).getJobs()[0]), why).runs.size() == 1u);
  o.run();
  BOOST_TEST(o.started() == (texts{"7[1]", "7[3]"}), all_equal);
}

BOOST_AUTO_TEST_CASE(a_list_of_subjobs_is_read_once_and_taken_from_its_beginning) {
  subjob_list list("3-9:3,11,20-21");
  texts seen;
  for (; !list.at_end(); list.pop()) seen.push_back(std::to_string(list.front()));
  BOOST_TEST(seen == (texts{"3", "6", "9", "11", "20", "21"}), all_equal);
  for (const auto index : {3u, 9u, 11u, 21u}) BOOST_TEST(list.has(index));
  for (const auto index : {0u, 4u, 10u, 12u, 22u}) BOOST_TEST(!list.has(index));
  list.rewind();
  BOOST_TEST(list.front() == 3u);
  for (const auto* nothing : {"", "-"}) BOOST_TEST(subjob_list(nothing).empty());
}

BOOST_AUTO_TEST_SUITE_END()
