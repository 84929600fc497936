// What the site's policy makes of a cycle: scenes of real transcripts.
#include <boost/test/unit_test.hpp>

#include "actors/scheduler/cycle/cycle.hpp"
#include "small_cluster.hpp"
#include "transcript.hpp"

using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

using lines = std::vector<std::string>;
const auto each = boost::test_tools::per_element();

struct site {
  std::string config = {}, holidays = {}, dedicated = {};
  policy read() const { return parse_policy(policy_text({shipped_sched_config() + config, "", holidays, dedicated})).value; }
};

queue_row queue_of(const std::string& name, const std::string& priority = "0") {
  auto q = execution_queue(name);
  q.attributes["Priority"] = priority;
  return q;
}

job_row job_in(const std::string& queue, std::uint64_t serial, values_by_name resources = {}, const std::string& select = "1:ncpus=1") {
  job_row j;
  j.serial = serial;
  j.id = std::to_string(serial) + ".p1";
  j.rank = static_cast<std::int64_t>(serial);
  j.queue = queue;
  j.schedselect = select;
  j.resources = std::move(resources);
  return j;
}

small_cluster cluster_of(std::vector<job_row> jobs, int cpus = 4) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", cpus)};
  c.queues = {execution_queue("workq"), queue_of("qa", "50"), queue_of("qb", "100"), queue_of("p_q"), queue_of("np_q"), queue_of("ded1")};
  c.jobs = std::move(jobs);
  return c;
}

struct told {
  view v;
  result r;
  lines log() const {
    lines out;
    for (const auto& l : r.log) {
      char event[8];
      std::snprintf(event, sizeof event, "%04x", l.event);
      out.push_back(std::string(event) + ";" + l.log_class + ";" + std::string(l.object) + ";" + std::string(l.text));
    }
    return out;
  }
  lines comments() const {
    lines out;
    for (const auto& reason : r.reasons) out.push_back(std::to_string(reason.job) + ": " + r.comments[reason.comment]);
    return out;
  }
  std::vector<std::uint64_t> started() const {
    std::vector<std::uint64_t> out;
    for (const auto& run : r.runs) out.push_back(run.job);
    return out;
  }
};

told cycle_of(const small_cluster& c, const site& s = {}, moment now = some_day) {
  told t;
  const auto p = s.read();
  t.v.count_by(p.sharing);
  BOOST_REQUIRE(t.v.apply(*c.full_view()));
  t.r = run_cycle(t.v, p, now);
  return t;
}

constexpr moment saturday = 1'795'221'910;  // 2026-11-21 00:45:10 UTC
constexpr const char* no_prime_at_weekends = "YEAR 2026\nweekday all none\nsaturday none all\nsunday none all\n";

}  // namespace

// Scene S8.
BOOST_AUTO_TEST_CASE(jobs_of_queues_that_may_not_run_now_are_refused_before_any_is_considered) {
  const auto t = cycle_of(cluster_of({job_in("p_q", 703), job_in("np_q", 704), job_in("ded1", 705), job_in("workq", 706)}),
                          {"", no_prime_at_weekends}, saturday);
  const lines expected = {"0100;Svr;;It is non-primetime.  It will end in 170090 seconds at 11/23/2026 00:00:00",
                          "0040;Job;703.p1;Job only runs in primetime",
                          "0040;Job;705.p1;Dedicated Time",
                          "0400;Sched;create_resresv_sets;Number of job equivalence classes: 1",
                          "0080;Job;706.p1;Considering job to run",
                          "0040;Job;706.p1;Job run",
                          "0080;Job;704.p1;Considering job to run",
                          "0040;Job;704.p1;Job run",
                          "0080;Req;;Leaving Scheduling Cycle"};
  BOOST_TEST(t.log() == expected, each);
  const lines comments = {"703: Not Running: Job will run in primetime only", "705: Not Running: Dedicated time conflict"};
  BOOST_TEST(t.comments() == comments, each);
}

BOOST_AUTO_TEST_CASE(a_job_does_not_begin_what_it_may_not_end) {
  const std::string soon = "11/21/2026 01:05 11/21/2026 02:05\n";  // in 20 minutes
  auto c = cluster_of({job_in("workq", 714, {{"walltime", "01:00:00"}}), job_in("workq", 715, {{"walltime", "00:10:00"}}),
                       job_in("ded1", 716), job_in("workq", 717)});
  const auto t = cycle_of(c, {"", "", soon}, saturday);
  const lines comments = {"716: Not Running: Dedicated time conflict", "714: Not Running: Job would cross dedicated time boundary",
                          "717: Not Running: Job would cross dedicated time boundary"};
  BOOST_TEST(t.comments() == comments, each);
  BOOST_TEST(t.started() == std::vector<std::uint64_t>{715}, each);
  const auto log = t.log();
  BOOST_TEST(std::count(log.begin(), log.end(), "0040;Job;714.p1;Job would not finish before dedicated time") == 1);
}

BOOST_AUTO_TEST_CASE(an_old_year_is_told_in_each_cycle_and_its_days_hold) {
  const auto t = cycle_of(cluster_of({}), {"", "YEAR 2020\nsaturday none all\n"}, saturday);
  const lines expected = {"0004;Fil;holidays;The holiday file is out of date; please update it.",
                          "0100;Svr;;It is non-primetime.  It will end in 83690 seconds at 11/22/2026 00:00:00",
                          "0080;Req;;Leaving Scheduling Cycle"};
  BOOST_TEST(t.log() == expected, each);
}

BOOST_AUTO_TEST_CASE(the_settings_of_the_time_order_the_queues) {
  const auto c = cluster_of({job_in("qa", 1), job_in("qb", 2)});
  const site by_day{"by_queue: False non_prime\n", no_prime_at_weekends};
  BOOST_TEST(cycle_of(c, by_day, saturday).started() == (std::vector<std::uint64_t>{1, 2}), each);
  BOOST_TEST(cycle_of(c, by_day, saturday + 3 * day_seconds).started() == (std::vector<std::uint64_t>{2, 1}), each);
}

// -- order ---------------------------------------------------------------------------------------------------------------

namespace {

using serials = std::vector<std::uint64_t>;

// Jobs 1 to 4 of scene S3: walltime and qsub -p.
small_cluster four_jobs(const std::string& queue = "workq") {
  auto c = cluster_of({job_in(queue, 1, {{"walltime", "00:01:40"}}), job_in(queue, 2, {{"walltime", "00:05:00"}}),
                       job_in(queue, 3, {{"walltime", "00:03:20"}}), job_in(queue, 4)});
  c.jobs[0].priority = 5;
  c.jobs[1].priority = 1;
  c.jobs[2].priority = 9;
  return c;
}

serials order_by(const std::string& config, const small_cluster& c) { return cycle_of(c, {config}).started(); }

lines formula_lines(const told& t) {
  lines out;
  for (const auto& line : t.log())
    if (line.find("ormula") != std::string::npos) out.push_back(line);
  return out;
}

}  // namespace

// Scene S3.
BOOST_AUTO_TEST_CASE(job_sort_key_orders_jobs) {
  const auto c = four_jobs();
  BOOST_TEST(order_by("", c) == (serials{1, 2, 3, 4}), each);
  BOOST_TEST(order_by("job_sort_key: \"walltime HIGH\" ALL\n", c) == (serials{2, 3, 1, 4}), each);
  BOOST_TEST(order_by("job_sort_key: \"walltime LOW\" ALL\n", c) == (serials{4, 1, 3, 2}), each);
  BOOST_TEST(order_by("job_sort_key: \"job_priority HIGH\" ALL\n", c) == (serials{3, 1, 2, 4}), each);
  BOOST_TEST(order_by("job_sort_key: \"sort_priority HIGH\" ALL\n", c) == (serials{3, 1, 2, 4}), each);
  BOOST_TEST(order_by("job_sort_key: \"nosuch HIGH\" ALL\n", c) == (serials{1, 2, 3, 4}), each);
  BOOST_TEST(order_by("job_sort_key: \"walltime LOW\" non_prime\n", c) == (serials{1, 2, 3, 4}), each);
}

BOOST_AUTO_TEST_CASE(the_first_key_is_the_primary_one) {
  auto c = cluster_of({job_in("workq", 1, {{"walltime", "00:05:00"}}), job_in("workq", 2, {{"walltime", "00:01:40"}}),
                       job_in("workq", 3, {{"walltime", "00:00:50"}})});
  c.jobs[0].priority = c.jobs[1].priority = 5;
  BOOST_TEST(order_by("job_sort_key: \"job_priority HIGH\" ALL\njob_sort_key: \"walltime LOW\" ALL\n", c) == (serials{2, 1, 3}), each);
}

BOOST_AUTO_TEST_CASE(keys_order_within_a_queue_or_all_jobs) {
  const auto c = cluster_of({job_in("qa", 1, {{"walltime", "10"}}), job_in("qb", 2, {{"walltime", "100"}}),
                             job_in("qa", 3, {{"walltime", "5"}}), job_in("qb", 4, {{"walltime", "50"}})});
  BOOST_TEST(order_by("job_sort_key: \"walltime LOW\" ALL\n", c) == (serials{4, 2, 3, 1}), each);
  BOOST_TEST(order_by("by_queue: False ALL\njob_sort_key: \"walltime LOW\" ALL\n", c) == (serials{3, 1, 4, 2}), each);
  auto turns = c;
  turns.queues[1].attributes["Priority"] = "100";
  BOOST_TEST(order_by("round_robin: True ALL\njob_sort_key: \"walltime LOW\" ALL\n", turns) == (serials{3, 4, 1, 2}), each);
}

BOOST_AUTO_TEST_CASE(other_durations_sizes_and_decimals_order_too) {
  auto c = cluster_of({job_in("workq", 1, {{"cput", "00:01:00"}, {"mem", "1gb"}, {"f", "1.5"}}),
                       job_in("workq", 2, {{"cput", "00:02:00"}, {"mem", "100mb"}, {"f", "1.25"}}), job_in("workq", 3)});
  c.resources = {{"f", "float", ""}};
  BOOST_TEST(order_by("job_sort_key: \"cput HIGH\"\n", c) == (serials{2, 1, 3}), each);
  BOOST_TEST(order_by("job_sort_key: \"mem HIGH\"\n", c) == (serials{1, 2, 3}), each);
  BOOST_TEST(order_by("job_sort_key: \"f LOW\"\n", c) == (serials{3, 2, 1}), each);
}

// Scene S4.
BOOST_AUTO_TEST_CASE(the_formula_orders_within_a_queue) {
  auto c = cluster_of({job_in("qa", 605), job_in("qb", 606), job_in("qa", 607), job_in("workq", 608)});
  c.jobs[0].priority = 1, c.jobs[1].priority = 2, c.jobs[2].priority = 900;
  c.server["job_sort_formula"] = "job_priority+queue_priority";
  c.scheduler["log_events"] = "2047";
  const auto t = cycle_of(c);
  BOOST_TEST(t.started() == (serials{606, 607, 605, 608}), each);
  const lines expected = {"0100;Job;606.p1;Formula Evaluation = 102", "0100;Job;605.p1;Formula Evaluation = 51",
                          "0100;Job;607.p1;Formula Evaluation = 950", "0100;Job;608.p1;Formula Evaluation = 0"};
  BOOST_TEST(formula_lines(t) == expected, each);
  c.scheduler["log_events"] = "767";
  BOOST_TEST(formula_lines(cycle_of(c)).empty());
  BOOST_TEST(order_by("by_queue: False ALL\n", c) == (serials{607, 606, 605, 608}), each);
  BOOST_TEST(order_by("job_sort_key: \"job_priority LOW\" ALL\nfair_share: True ALL\n", c) == (serials{606, 607, 605, 608}), each);
  c.scheduler["job_sort_formula"] = "-job_priority";  // a scheduler's own comes first
  BOOST_TEST(order_by("by_queue: False ALL\n", c) == (serials{608, 605, 606, 607}), each);
}

BOOST_AUTO_TEST_CASE(what_can_not_be_computed_counts_as_zero) {
  auto c =
      cluster_of({job_in("workq", 631, {{"ncpus", "0"}, {"mem", "10kb"}}, "1:ncpus=0:mem=10kb"), job_in("workq", 632, {{"ncpus", "1"}})});
  c.server["job_sort_formula"] = "1/ncpus";
  c.scheduler["log_events"] = "2047";
  c.vnodes[0].available["mem"] = "1gb";
  const auto t = cycle_of(c);
  const lines expected = {"0100;Job;631.p1;Formula evaluation for job had an error.  Zero value will be used: division by zero",
                          "0100;Job;631.p1;Formula Evaluation = 0", "0100;Job;632.p1;Formula Evaluation = 1"};
  BOOST_TEST(formula_lines(t) == expected, each);
  BOOST_TEST(t.started() == (serials{632, 631}), each);
  c.server["job_sort_formula"] = "mem";
  BOOST_TEST(formula_lines(cycle_of(c))[0] == "0100;Job;631.p1;Formula Evaluation = 10");
}

BOOST_AUTO_TEST_CASE(terms_of_fairshare_and_eligible_time) {
  auto c = cluster_of({job_in("workq", 1)});
  c.scheduler["log_events"] = "2047";
  c.jobs[0].eligible_seconds = 100;
  c.jobs[0].eligible_since_ns = (some_day - 20) * 1'000'000'000;
  const auto value = [&](const std::string& formula, const std::string& config = "") {
    c.server["job_sort_formula"] = formula;
    return formula_lines(cycle_of(c, {config}))[0].substr(std::string("0100;Job;1.p1;Formula Evaluation = ").size());
  };
  BOOST_TEST(value("eligible_time") == "0");  // it is not counted
  BOOST_TEST(value("accrue_type") == "0");
  BOOST_TEST(value("fairshare_perc") == "0");  // of somebody without a share
  BOOST_TEST(value("fairshare_tree_usage") == "1");
  BOOST_TEST(value("fairshare_factor") == "0");
  c.server["eligible_time_enable"] = "True";
  BOOST_TEST(value("eligible_time") == "120");
  BOOST_TEST(value("accrue_type") == "2");
  c.jobs[0].eligible_since_ns = 0;
  BOOST_TEST(value("eligible_time") == "100");
  BOOST_TEST(value("accrue_type") == "1");
  const std::string sharing = "fair_share: True ALL\nunknown_shares: 10\n";  // the only entity has all shares and all usage
  BOOST_TEST(value("fairshare_perc", sharing) == "1");
  BOOST_TEST(value("fairshare_tree_usage", sharing) == value("fairshare_tree_usage*1", sharing));
  BOOST_TEST(value("fairshare_factor - 2**-fairshare_tree_usage", sharing) == "0");
  for (const char* term : {"fairshare_perc", "fair_share_perc", "fairshare_tree_usage", "fairshare_factor"})  // also without fair_share
    for (const std::string part : {"True prime\n", "True non_prime\n", "False ALL\n"})
      BOOST_TEST(value(term, "unknown_shares: 10\nfair_share: " + part) == value(term, sharing), term << " " << part);
}

// Scenes S4 and Y6b.
BOOST_AUTO_TEST_CASE(a_job_that_is_worth_no_more_than_the_threshold_does_not_run) {
  auto c = cluster_of({job_in("workq", 612), job_in("workq", 613), job_in("workq", 614), job_in("p_q", 615)});
  c.jobs[0].priority = 4, c.jobs[1].priority = 5, c.jobs[2].priority = 6;
  c.server["job_sort_formula"] = "job_priority";
  c.scheduler["job_sort_formula_threshold"] = "5";
  c.scheduler["log_events"] = "2047";
  const auto t = cycle_of(c, {"", "weekday none all\nsaturday none all\nsunday none all\n"});
  BOOST_TEST(t.started() == serials{614}, each);
  const lines comments = {"615: Not Running: Job will run in primetime only",
                          "612: Not Running: Job is under job_sort_formula threshold value",
                          "613: Not Running: Job is under job_sort_formula threshold value"};
  BOOST_TEST(t.comments() == comments, each);
  const lines of_the_first = {"0100;Job;612.p1;Formula Evaluation = 4", "0100;Job;612.p1;Job's formula value 4 is under threshold 5",
                              "0040;Job;612.p1;Job is under job_sort_formula threshold value"};
  const auto said = formula_lines(t);
  BOOST_TEST(lines(said.begin(), said.begin() + 3) == of_the_first, each);
  c.server.erase("job_sort_formula");
  BOOST_TEST(cycle_of(c).started().size() == 4u);  // without a formula there is no threshold
}

// -- server_dyn_res ------------------------------------------------------------------------------------------------------

// Scene S11: three licences.
BOOST_AUTO_TEST_CASE(what_a_script_told_is_used_up_by_the_cycle) {
  auto c = cluster_of({job_in("workq", 739, {{"lic", "2"}}), job_in("workq", 740, {{"lic", "2"}}), job_in("workq", 741, {{"lic", "4"}})});
  c.resources = {{"lic", "long", ""}};
  const auto p = site{"resources: \"ncpus, lic\"\n"}.read();
  told t;
  BOOST_REQUIRE(t.v.apply(*c.full_view()));
  const auto lic = t.v.resources().find("lic");
  t.v.queues().set_dynamic({{lic, 3}});
  t.r = run_cycle(t.v, p, some_day);
  BOOST_TEST(t.started() == serials{739}, each);
  const lines comments = {"740: Not Running: Insufficient amount of server resource: lic (R: 2 A: 1 T: 3)",
                          "741: Can Never Run: Insufficient amount of server resource: lic (R: 4 A: 3 T: 3)"};
  BOOST_TEST(t.comments() == comments, each);
  t.v.queues().set_dynamic({{lic, 5}});  // the next cycle: the program has counted what runs
  t.r = run_cycle(t.v, p, some_day);
  BOOST_TEST(t.started() == serials{740}, each);
  t.v.queues().set_dynamic({});
  t.r = run_cycle(t.v, p, some_day);
  BOOST_TEST(t.started() == serials{741}, each);  // nobody tells: it is unlimited
}

// 1 has all cpus for half an hour, and 2 wants them for two hours then.
BOOST_AUTO_TEST_CASE(an_estimate_lies_in_no_time_in_which_the_job_may_not_run) {
  auto running = job_in("workq", 1, {{"walltime", "00:30:00"}}, "1:ncpus=4");
  running.state = 'R';
  running.exec_vnode = "(p1:ncpus=4)";
  running.exec_host = "p1/1*4";
  running.started = saturday;
  auto c = cluster_of({running, job_in("workq", 2, {{"walltime", "02:00:00"}}, "1:ncpus=4")});
  c.vnode("p1").jobs.emplace_back(1, false);
  c.vnode("p1").assigned["ncpus"] = "4";
  const auto estimate = [&](const site& s) {
    const auto t = cycle_of(c, s, saturday);
    return t.r.estimates.empty() ? 0 : t.r.estimates.front().start;
  };
  const std::string strict = "strict_ordering: True ALL\n";
  BOOST_TEST(estimate({strict}) == saturday + 1800);
  // From 03:00 to 04:00 time is dedicated, and the job would not be over by then.
  const std::string dedicated = "11/21/2026 03:00 11/21/2026 04:00\n";
  constexpr moment four_o_clock = 1'795'219'200 + 4 * 3600;
  BOOST_TEST(estimate({strict, "", dedicated}) == four_o_clock);
  // What it was told before doesn't hold either.
  c.jobs[1].estimated = saturday + 1801;
  c.jobs[1].estimated_vnode = "(p1:ncpus=4)";
  c.jobs[1].topjob = true;
  BOOST_TEST(estimate({strict, "", dedicated}) == four_o_clock);
}

BOOST_AUTO_TEST_CASE(an_estimate_is_in_the_kind_of_time_of_the_jobs_queue) {
  auto running = job_in("workq", 1, {{"walltime", "24:00:00"}}, "1:ncpus=4");
  running.state = 'R';
  running.exec_vnode = "(p1:ncpus=4)";
  running.exec_host = "p1/1*4";
  running.started = saturday;
  auto c = cluster_of({running, job_in("np_q", 2, {{"walltime", "01:00:00"}}, "1:ncpus=4")});
  c.vnode("p1").jobs.emplace_back(1, false);
  c.vnode("p1").assigned["ncpus"] = "4";
  // Only Saturdays are not prime time: the next one comes in a week.
  const auto t =
      cycle_of(c, {"strict_ordering: True ALL\n", "YEAR 2026\nweekday all none\nsaturday none all\nsunday all none\n"}, saturday);
  BOOST_REQUIRE(t.r.estimates.size() == 1U);
  BOOST_TEST(t.r.estimates.front().start == 1'795'219'200 + 7 * 86'400);
}
