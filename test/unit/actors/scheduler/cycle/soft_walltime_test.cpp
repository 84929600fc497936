// A soft walltime is what the scheduler plans with; reservations are promises, and kept from a job for as long as it may run (pbs guide:
// soft_walltime).
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "actors/scheduler/cycle/cycle.hpp"
#include "events/values/soft_walltime.hpp"
#include "small_cluster.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

constexpr moment minute = 60, hour = 3600;

job_row asks(std::uint64_t serial, int cpus, const std::string& walltime, const std::string& soft = "") {
  job_row j;
  j.serial = serial;
  j.id = std::to_string(serial) + ".p1";
  j.rank = static_cast<std::int64_t>(serial);
  j.schedselect = "1:ncpus=" + std::to_string(cpus);
  if (!walltime.empty()) j.resources["walltime"] = walltime;
  if (!soft.empty()) j.resources["soft_walltime"] = soft;
  return j;
}

// On p1, for so long already; it is the only one.
job_row runs(small_cluster& c, int cpus, std::int64_t since, const std::string& walltime, const std::string& soft) {
  auto j = asks(1, cpus, walltime, soft);
  j.state = 'R';
  j.exec_vnode = "(p1:ncpus=" + std::to_string(cpus) + ")";
  j.exec_host = "p1/0*" + std::to_string(cpus);
  j.started = some_day - since;
  c.vnode("p1").jobs = {{1, false}};
  c.vnode("p1").assigned["ncpus"] = std::to_string(cpus);
  return j;
}

small_cluster four_cpus() {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  return c;
}

// All of p1, seconds from now.
reservation_row reserves(moment start, moment end) {
  reservation_row r;
  r.schedselect = "1:ncpus=4";
  r.places = {{{1, some_day + start, some_day + end}, "(p1:ncpus=4)"}};
  return r;
}

struct outcome {
  view v;
  result r;
  bool starts(std::uint64_t job) const {
    return std::any_of(r.runs.begin(), r.runs.end(), [&](const auto& run) { return run.job == job; });
  }
  // Seconds from now; -1: it is no top job.
  moment top_at(std::uint64_t job) const {
    for (const auto& e : r.estimates)
      if (e.job == job) return e.start - some_day;
    return -1;
  }
};

outcome cycle_of(const small_cluster& c) {
  outcome o;
  BOOST_REQUIRE(o.v.apply(*c.full_view()));
  o.r = run_cycle(o.v, parse_policy(shipped_sched_config() + "strict_ordering: True ALL\n").value, some_day);
  return o;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(soft_walltime)

BOOST_AUTO_TEST_CASE(it_grows_by_itself_up_to_the_walltime) {
  BOOST_TEST(values::soft_walltime_after(0, 60, std::nullopt) == 60);
  BOOST_TEST(values::soft_walltime_after(59, 60, std::nullopt) == 60);
  BOOST_TEST(values::soft_walltime_after(60, 60, std::nullopt) == 120);
  BOOST_TEST(values::soft_walltime_after(179, 60, std::nullopt) == 180);
  BOOST_TEST(values::soft_walltime_after(70, 60, 90) == 90);
  BOOST_TEST(values::soft_walltime_after(500, 60, 90) == 90);
  BOOST_TEST(values::soft_walltime_after(-5, 60, 90) == 60);  // the clock was set back
  BOOST_TEST(values::soft_walltime_after(10, 90, 60) == 60);
  BOOST_TEST(values::soft_walltime_after(INT64_MAX, 2, std::nullopt) == INT64_MAX);
}

BOOST_AUTO_TEST_CASE(a_top_job_waits_for_the_soft_walltime_of_a_running_one) {
  const auto after = [](std::int64_t since, const char* walltime, const char* soft) {
    auto c = four_cpus();
    c.jobs = {runs(c, 4, since, walltime, soft), asks(2, 4, "00:10:00")};
    return cycle_of(c).top_at(2);
  };
  BOOST_TEST(after(0, "02:00:00", "01:00:00") == hour);
  BOOST_TEST(after(0, "", "01:00:00") == hour);
  BOOST_TEST(after(90 * minute, "03:00:00", "01:00:00") == 30 * minute);   // taken to run for two hours now,
  BOOST_TEST(after(130 * minute, "02:30:00", "01:00:00") == 20 * minute);  // but not for more than its walltime
  BOOST_TEST(after(130 * minute, "", "01:00:00") == 50 * minute);
  BOOST_TEST(after(0, "00:30:00", "01:00:00") == 30 * minute);
  BOOST_TEST(after(0, "02:00:00", "00:00:00") == 2 * hour);
}

BOOST_AUTO_TEST_CASE(a_job_passes_a_top_job_by_its_soft_walltime) {
  auto c = four_cpus();
  c.jobs = {runs(c, 3, 0, "01:00:00", ""), asks(2, 4, "00:10:00"), asks(3, 1, "02:00:00")};
  BOOST_TEST(!cycle_of(c).starts(3));
  c.jobs[2] = asks(3, 1, "02:00:00", "01:00:00");
  BOOST_TEST(cycle_of(c).starts(3));
  c.jobs[2] = asks(3, 1, "", "01:00:00");
  BOOST_TEST(cycle_of(c).starts(3));
  c.jobs[2] = asks(3, 1, "02:00:00", "01:00:01");
  BOOST_TEST(!cycle_of(c).starts(3));
}

BOOST_AUTO_TEST_CASE(a_top_job_is_booked_for_its_soft_walltime) {
  auto c = four_cpus();
  c.server["backfill_depth"] = "2";
  c.jobs = {runs(c, 4, 0, "01:00:00", ""), asks(2, 4, "05:00:00", "00:30:00"), asks(3, 4, "00:10:00")};
  const auto o = cycle_of(c);
  BOOST_TEST(o.top_at(2) == hour);
  BOOST_TEST(o.top_at(3) == hour + 30 * minute);
}

BOOST_AUTO_TEST_CASE(a_reservation_is_kept_from_a_job_for_as_long_as_it_may_run) {
  auto c = four_cpus();
  c.reservations = {reserves(hour, 2 * hour)};
  c.jobs = {asks(2, 1, "01:00:00", "00:30:00")};
  BOOST_TEST(cycle_of(c).starts(2));
  for (const char* walltime : {"01:00:01", ""}) {
    c.jobs = {asks(2, 1, walltime, "00:30:00")};
    const auto o = cycle_of(c);
    BOOST_TEST(!o.starts(2));
    BOOST_REQUIRE(o.r.reasons.size() == 1u);
    BOOST_TEST(o.r.comments[o.r.reasons[0].comment] == "Not Running: Job would conflict with reservation or top job");
    BOOST_REQUIRE(o.r.reasons[0].behind > 0u);
    BOOST_TEST(o.r.blockers[o.r.reasons[0].behind - 1] == "R900.p1");
  }
  c.jobs = {asks(2, 1, "02:00:00", "00:30:00"), asks(3, 1, "01:00:00", "00:30:00")};  // one is no answer for the other
  const auto o = cycle_of(c);
  BOOST_TEST(!o.starts(2));
  BOOST_TEST(o.starts(3));
}

BOOST_AUTO_TEST_CASE(as_a_top_job_it_comes_behind_the_reservation_or_well_before) {
  auto c = four_cpus();
  c.reservations = {reserves(3 * hour, 4 * hour)};
  c.jobs = {runs(c, 4, 0, "01:00:00", ""), asks(2, 4, "02:00:00", "00:30:00")};
  BOOST_TEST(cycle_of(c).top_at(2) == hour);
  c.jobs[1] = asks(2, 4, "02:00:01", "00:30:00");
  BOOST_TEST(cycle_of(c).top_at(2) == 4 * hour);
}

BOOST_AUTO_TEST_CASE(a_running_job_may_last_until_a_reservation_begins_and_others_leave_it_that) {
  auto c = four_cpus();
  c.reservations = {reserves(hour, 2 * hour)};
  c.reservations[0].schedselect = "1:ncpus=2";
  c.reservations[0].places[0].exec_vnode = "(p1:ncpus=2)";
  c.jobs = {runs(c, 2, 0, "03:00:00", "00:30:00"), asks(2, 2, "02:00:00")};
  BOOST_TEST(!cycle_of(c).starts(2));  // else the reservation would find its cpus in use
  c.jobs[1] = asks(2, 2, "01:00:00");
  BOOST_TEST(cycle_of(c).starts(2));
}

BOOST_AUTO_TEST_CASE(reservations_are_confirmed_by_what_jobs_may_run_for) {
  const auto is_confirmed = [](const char* walltime, moment start) {
    auto c = four_cpus();
    c.jobs = {runs(c, 4, 0, walltime, "00:30:00"), asks(2, 4, "00:10:00")};
    reservation_row r;
    r.schedselect = "1:ncpus=4";
    r.ask = 1;
    r.wanted = {{1, some_day + start, some_day + start + hour}};
    c.reservations = {r};
    const auto o = cycle_of(c);
    BOOST_TEST(o.top_at(2) == 30 * minute);  // in the same cycle
    BOOST_REQUIRE(o.r.answers.size() == 1u);
    return !o.r.answers[0].places.empty();
  };
  BOOST_TEST(!is_confirmed("02:00:00", 2 * hour - 1));
  BOOST_TEST(is_confirmed("02:00:00", 2 * hour));
  BOOST_TEST(!is_confirmed("", 2 * hour));
}

BOOST_AUTO_TEST_CASE(a_shrink_to_fit_job_has_none) {
  auto c = four_cpus();
  auto stf = runs(c, 4, 0, "02:00:00", "00:30:00");
  stf.resources["min_walltime"] = "00:10:00";
  c.jobs = {stf, asks(2, 4, "00:10:00")};
  BOOST_TEST(cycle_of(c).top_at(2) == 2 * hour);
}

BOOST_AUTO_TEST_SUITE_END()
