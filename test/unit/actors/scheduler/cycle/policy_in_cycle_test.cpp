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
  const lines expected = {"0080;Req;;Starting Scheduling Cycle",
                          "0100;Svr;;It is non-primetime.  It will end in 170090 seconds at 11/23/2026 00:00:00",
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
  const lines expected = {"0080;Req;;Starting Scheduling Cycle", "0004;Fil;holidays;The holiday file is out of date; please update it.",
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
