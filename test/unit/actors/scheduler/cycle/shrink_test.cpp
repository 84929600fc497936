// Shrink-to-fit jobs: the scenes Y8, Y9 and S10 of the transcripts, and random systems against a scheduler that tries every second.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <random>

#include "actors/scheduler/cycle/cycle.hpp"
#include "actors/scheduler/cycle/shrink.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/number.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

using texts = std::vector<std::string>;
const auto all_equal = boost::test_tools::per_element();

job_row asks(std::uint64_t serial, int cpus, values_by_name resources = {}) {
  job_row j;
  j.serial = serial;
  j.id = std::to_string(serial) + ".vm";
  j.rank = static_cast<std::int64_t>(serial);
  j.schedselect = "1:ncpus=" + std::to_string(cpus);
  j.resources = std::move(resources);
  return j;
}

job_row runs(std::uint64_t serial, int cpus, const std::string& walltime, small_cluster& c) {
  auto j = asks(serial, cpus, {{"walltime", walltime}});
  j.state = 'R';
  j.exec_vnode = "(vm:ncpus=" + std::to_string(cpus) + ")";
  j.exec_host = "vm/" + std::to_string(serial) + "*" + std::to_string(cpus);
  j.started = some_day;
  auto& v = c.vnode("vm");
  v.jobs.emplace_back(serial, false);
  const auto used = v.assigned.contains("ncpus") ? *values::parse_integer(v.assigned["ncpus"]) : 0;
  v.assigned["ncpus"] = std::to_string(used + cpus);
  return j;
}

struct outcome {
  view v;
  result r;
  texts said_of_jobs() const {
    texts out;
    for (const auto& l : r.log)
      if (l.event == 0x40) out.push_back(std::string(l.object).substr(0, l.object.find('.')) + " " + std::string(l.text));
    return out;
  }
  std::map<std::uint64_t, std::int64_t> walltimes() const {
    std::map<std::uint64_t, std::int64_t> out;
    for (const auto& run : r.runs) out[run.job] = run.walltime;
    return out;
  }
};
outcome cycle_of(const small_cluster& c, const policy& p) {
  outcome o;
  BOOST_REQUIRE(o.v.apply(*c.full_view()));
  o.r = run_cycle(o.v, p, some_day);
  return o;
}

policy with(const std::string& config, const std::string& dedicated = "", const std::string& holidays = "") {
  return parse_policy(policy_text({shipped_sched_config() + config, "", holidays, dedicated})).value;
}
const std::string strict = "strict_ordering: True ALL\n";

small_cluster vm_of(int cpus) {
  small_cluster c;
  c.vnodes = {simple_vnode("vm", cpus)};
  return c;
}

using minutes = std::map<std::uint64_t, std::int64_t>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_job_is_shrunk_to_end_before_dedicated_time) {  // Y8, S10; some_day is 14:57:10
  auto c = vm_of(8);
  c.jobs = {asks(43, 1, {{"walltime", "02:00:00"}}), asks(49, 1, {{"min_walltime", "00:05:00"}, {"max_walltime", "09:00:00"}}),
            asks(50, 1, {{"min_walltime", "03:00:00"}}), asks(734, 1, {{"min_walltime", "00:10:00"}}),
            asks(735, 1, {{"min_walltime", "00:10:00"}, {"max_walltime", "00:20:00"}}),
            asks(738, 1, {{"min_walltime", "00:10:00"}, {"walltime", "00:20:00"}})};
  const auto o = cycle_of(c, with("", "11/22/2026 15:27 11/22/2026 16:57\n"));
  BOOST_TEST(o.said_of_jobs() ==
                 (texts{"43 Job would not finish before dedicated time",
                        "49 Considering shrinking job to duration=00:29:50, due to a prime/dedicated time conflict",
                        "49 Job will run for duration=00:29:50", "49 Job run", "50 Job would not finish before dedicated time",
                        "734 Considering shrinking job to duration=00:29:50, due to a prime/dedicated time conflict",
                        "734 Job will run for duration=00:29:50", "734 Job run", "735 Job will run for duration=00:20:00", "735 Job run",
                        "738 Job will run for duration=00:20:00", "738 Job run"}),
             all_equal);
  BOOST_TEST((o.walltimes() == minutes{{49, 1790}, {734, 1790}, {735, 1200}, {738, 1200}}));
  BOOST_TEST(o.r.comments.front() == "Not Running: Job would cross dedicated time boundary");
}

BOOST_AUTO_TEST_CASE(a_job_is_shrunk_to_end_before_a_top_job_begins) {  // Y9, with a top job
  auto c = vm_of(4);
  c.jobs = {runs(1, 1, "00:15:00", c), asks(2, 4), asks(58, 1, {{"min_walltime", "00:05:00"}, {"max_walltime", "05:00:00"}}),
            asks(59, 1, {{"min_walltime", "00:20:00"}, {"max_walltime", "05:00:00"}}), asks(60, 1, {{"min_walltime", "00:05:00"}}),
            asks(61, 1, {{"walltime", "00:20:00"}})};
  const auto o = cycle_of(c, with(strict));
  BOOST_TEST(o.said_of_jobs() ==
                 (texts{"2 Insufficient amount of resource: ncpus (R: 4 A: 3 T: 4)",
                        "58 Considering shrinking job to duration=00:15:00, due to a reservation/top job conflict",
                        "58 Job will run for duration=00:15:00", "58 Job run", "59 Job would conflict with reservation or top job",
                        "60 Considering shrinking job to duration=00:15:00, due to a reservation/top job conflict",
                        "60 Job will run for duration=00:15:00", "60 Job run", "61 Job would conflict with reservation or top job"}),
             all_equal);
  BOOST_TEST((o.walltimes() == minutes{{58, 900}, {60, 900}}));
}

BOOST_AUTO_TEST_CASE(nothing_in_the_way_is_five_years) {
  auto c = vm_of(4);
  c.jobs = {asks(1, 1, {{"min_walltime", "00:10:00"}}), asks(2, 1)};
  const auto o = cycle_of(c, with(""));
  BOOST_TEST((o.walltimes() == minutes{{1, values::endless_seconds}, {2, 0}}));
  BOOST_TEST(o.said_of_jobs() == (texts{"1 Job will run for duration=43800:00:00", "1 Job run", "2 Job run"}), all_equal);
}

BOOST_AUTO_TEST_CASE(the_boundary_of_prime_time_counts_with_its_spill) {  // Sunday is non-prime, Monday is prime from midnight on
  auto c = vm_of(4);
  c.jobs = {asks(1, 1, {{"min_walltime", "00:10:00"}, {"max_walltime", "20:00:00"}})};
  const auto days = "weekday all none\nsaturday none all\nsunday none all\n";
  const std::int64_t until_midnight = 9 * 3600 + 2 * 60 + 50;
  const auto o = cycle_of(c, with("backfill_prime: True ALL\n", "", days));
  BOOST_TEST((o.walltimes() == minutes{{1, until_midnight}}));
  BOOST_TEST((cycle_of(c, with("backfill_prime: True ALL\nprime_spill: 1:00:00 ALL\n", "", days)).walltimes() ==
              minutes{{1, until_midnight + 3600}}));
  BOOST_TEST((cycle_of(c, with("", "", days)).walltimes() == minutes{{1, 72000}}));
}

BOOST_AUTO_TEST_CASE(both_may_shrink_it) {
  auto c = vm_of(4);
  c.jobs = {runs(1, 1, "00:15:00", c), asks(2, 4, {{"walltime", "00:01:00"}}),
            asks(3, 1, {{"min_walltime", "00:05:00"}, {"max_walltime", "05:00:00"}})};
  const auto o = cycle_of(c, with(strict, "11/22/2026 15:27 11/22/2026 16:57\n"));
  BOOST_TEST(o.said_of_jobs() ==
                 (texts{"2 Insufficient amount of resource: ncpus (R: 4 A: 3 T: 4)",
                        "3 Considering shrinking job to duration=00:29:50, due to a prime/dedicated time conflict",
                        "3 Considering shrinking job to duration=00:15:00, due to a reservation/top job conflict",
                        "3 Job will run for duration=00:15:00", "3 Job run"}),
             all_equal);
}

BOOST_AUTO_TEST_CASE(as_a_top_job_it_is_booked_for_its_shortest_time) {
  auto c = vm_of(4);
  c.server["backfill_depth"] = "2";
  c.jobs = {runs(1, 1, "00:15:00", c), asks(2, 4, {{"min_walltime", "00:10:00"}, {"max_walltime", "05:00:00"}}),
            asks(3, 4, {{"walltime", "00:01:00"}})};
  const auto o = cycle_of(c, with(strict));
  BOOST_REQUIRE(o.r.estimates.size() == 2u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 900);
  BOOST_TEST(o.r.estimates[1].start == some_day + 900 + 600);
}

BOOST_AUTO_TEST_CASE(a_refused_one_may_run_longer_next_time) {
  auto c = vm_of(4);
  c.jobs = {runs(1, 1, "00:15:00", c), asks(2, 4), asks(3, 1, {{"min_walltime", "00:05:00"}, {"max_walltime", "05:00:00"}})};
  auto o = cycle_of(c, with(strict));
  BOOST_TEST((o.walltimes() == minutes{{3, 900}}));
  o.v.intake().withdraw(3);
  auto gone = delta(1, 2, {}, {2});
  BOOST_REQUIRE(o.v.apply(*gone));
  o.r = run_cycle(o.v, with(strict), some_day);
  BOOST_TEST((o.walltimes() == minutes{{3, 18000}}));
}

BOOST_AUTO_TEST_CASE(a_running_one_is_a_job_with_a_walltime) {
  auto c = vm_of(4);
  c.jobs = {runs(1, 4, "00:15:00", c), asks(2, 4)};
  c.jobs[0].resources["min_walltime"] = "00:05:00";
  c.jobs[0].resources["max_walltime"] = "05:00:00";
  BOOST_TEST(cycle_of(c, with(strict)).r.estimates[0].start == some_day + 900);
}

BOOST_AUTO_TEST_CASE(by_hand_it_gets_its_longest_time) {
  auto c = vm_of(4);
  c.jobs = {asks(1, 1, {{"min_walltime", "00:05:00"}, {"max_walltime", "05:00:00"}})};
  view v;
  BOOST_REQUIRE(v.apply(*c.full_view()));
  std::string why;
  const auto r = run_asked(v, with("", "11/22/2026 15:27 11/22/2026 16:57\n"), some_day, 0, why);
  BOOST_REQUIRE(r.runs.size() == 1u);
  BOOST_TEST(r.runs[0].walltime == 18000);
}

// -- against brute force ---------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_time_that_is_found_is_the_longest_that_fits) {
  std::mt19937 random(20261122);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 3000; ++round) {
    const int capacity = 1 + below(6), asked = 1 + below(4);
    struct part {
      moment from, until;
      int cpus;
    };
    std::vector<part> parts;  // running until, or booked
    std::vector<moment> starts;
    for (int i = below(6); i > 0; --i) {
      const moment from = below(3) == 0 ? 0 : below(60);
      parts.push_back({from, from + 1 + below(40), 1 + below(3)});
      if (from > 0) starts.push_back(from);
    }
    std::sort(starts.begin(), starts.end());
    const auto fits = [&](std::int64_t seconds) {
      for (moment t = 0; t < seconds; ++t) {
        int used = asked;
        for (const auto& p : parts) used += p.from <= t && t < p.until ? p.cpus : 0;
        if (used > capacity) return false;
      }
      return true;
    };
    const std::int64_t shortest = 1 + below(30), longest = shortest + below(60);
    std::optional<std::int64_t> best;
    for (auto s = shortest; s <= longest; ++s)
      if (fits(s)) best = s;
    const auto found = longest_that_fits({shortest, longest}, 0, starts, fits);
    BOOST_TEST((found == best), "round " << round << ": " << found.value_or(-1) << " instead of " << best.value_or(-1));
  }
}

// One vnode: what fits is a matter of sums, so every second can be asked.
BOOST_AUTO_TEST_CASE(in_a_cycle_a_shrunk_job_meets_no_booking_and_no_longer_one_would_fit) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto seconds = [](std::int64_t s) { return std::to_string(s); };
  int shrunk = 0;
  for (int round = 0; round < 400; ++round) {
    const int capacity = 4 + below(5);
    auto c = vm_of(capacity);
    c.server["backfill_depth"] = std::to_string(1 + below(3));
    struct held {
      std::int64_t from, until;
      int cpus;
    };
    std::vector<held> parts;
    std::uint64_t serial = 1;
    std::map<std::uint64_t, std::pair<int, std::int64_t>> tops;  // cpus and time
    for (int used = 0, n = 1 + below(3); n > 0; --n) {
      const int cpus = 1 + below(2);
      if (used + cpus >= capacity) break;
      used += cpus;
      const auto end = 60 + 10 * below(90);
      c.jobs.push_back(runs(serial++, cpus, seconds(end), c));
      parts.push_back({0, end, cpus});
    }
    for (int n = 1 + below(3); n > 0; --n) {
      const int cpus = capacity - below(3);
      const auto time = 60 + 10 * below(50);
      tops[serial] = {cpus, time};
      c.jobs.push_back(asks(serial++, cpus, {{"walltime", seconds(time)}}));
    }
    struct range {
      int cpus;
      std::int64_t min, max;
    };
    std::map<std::uint64_t, range> wanted;
    for (int n = 1 + below(5); n > 0; --n) {
      const range r{1 + below(2), 10 + below(300), 0};
      const auto max = r.min + below(2000);
      wanted[serial] = {r.cpus, r.min, max};
      c.jobs.push_back(asks(serial++, r.cpus, {{"min_walltime", seconds(r.min)}, {"max_walltime", seconds(max)}}));
    }
    const auto o = cycle_of(c, with(strict));
    const auto walltimes = o.walltimes();
    for (const auto& run : o.r.runs)
      if (tops.contains(run.job)) parts.push_back({0, tops[run.job].second, tops[run.job].first});
    for (const auto& e : o.r.estimates)
      if (tops.contains(e.job)) {
        const auto from = e.start - some_day;
        parts.push_back({from, from + tops[e.job].second, tops[e.job].first});
      }
    const auto fits = [&](int cpus, std::int64_t time) {
      for (std::int64_t t = 0; t < time; ++t) {
        int used = cpus;
        for (const auto& p : parts) used += p.from <= t && t < p.until ? p.cpus : 0;
        if (used > capacity) return false;
      }
      return true;
    };
    for (const auto& [job, asked] : wanted) {
      for (const auto& e : o.r.estimates)
        if (e.job == job) parts.push_back({e.start - some_day, e.start - some_day + asked.min, asked.cpus});
      if (!walltimes.contains(job)) continue;
      const auto walltime = walltimes.at(job);
      BOOST_TEST((asked.min <= walltime && walltime <= asked.max));
      BOOST_TEST(fits(asked.cpus, walltime), "round " << round << " job " << job);
      BOOST_TEST((walltime == asked.max || !fits(asked.cpus, walltime + 1)), "round " << round << " job " << job);
      shrunk += walltime < asked.max;
      parts.push_back({0, walltime, asked.cpus});
    }
  }
  BOOST_TEST(shrunk > 50);
}
