// Strict ordering, top jobs and what passes them (pbs guide: strict ordering and backfilling; MS-65). The transcripts of a real PBS are
// those of its tests S5 and Y5. Random small systems are compared with a scheduler that tries everything.
#include <boost/test/unit_test.hpp>

#include <map>
#include <random>

#include "actors/scheduler/cycle/cycle.hpp"
#include "events/values/date_time.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/number.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

policy strict() { return parse_policy(shipped_sched_config() + "strict_ordering: True ALL\n").value; }

job_row asks(std::uint64_t serial, int cpus, const std::string& walltime = "") {
  job_row j;
  j.serial = serial;
  j.id = std::to_string(serial) + ".p1";
  j.rank = static_cast<std::int64_t>(serial);
  j.schedselect = "1:ncpus=" + std::to_string(cpus);
  if (!walltime.empty()) j.resources["walltime"] = walltime;
  return j;
}

// On p1, since this moment.
job_row runs(std::uint64_t serial, int cpus, const std::string& walltime, small_cluster& c, moment since = some_day) {
  auto j = asks(serial, cpus, walltime);
  j.state = 'R';
  j.exec_vnode = "(p1:ncpus=" + std::to_string(cpus) + ")";
  j.exec_host = "p1/" + std::to_string(serial) + "*" + std::to_string(cpus);
  j.started = since;
  auto& v = c.vnode("p1");
  v.jobs.emplace_back(serial, false);
  const auto used = v.assigned.contains("ncpus") ? *values::parse_integer(v.assigned["ncpus"]) : 0;
  v.assigned["ncpus"] = std::to_string(used + cpus);
  return j;
}

// One host with 4 cpus that serves, and others that make 14 together.
small_cluster four_of_fourteen() {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4), simple_vnode("p2", 10)};
  c.vnodes[1].state = "offline";
  c.scheduler["log_events"] = "2047";
  return c;
}

struct outcome {
  view v;
  result r;
};
outcome cycle_of(const small_cluster& c, const policy& p = strict()) {
  outcome o;
  BOOST_REQUIRE(o.v.apply(*c.full_view()));
  o.r = run_cycle(o.v, p, some_day);
  return o;
}

std::vector<std::string> lines(const outcome& o) {
  std::vector<std::string> out;
  for (const auto& l : o.r.log)
    if (std::string(l.log_class) == "Job" && l.text != "Considering job to run")
      out.push_back(std::string(l.object).substr(0, l.object.find('.')) + " " + std::string(l.text));
  return out;
}

std::string at(const std::string& after) {
  const auto colon = after.find(':');
  return values::print_date(some_day + std::stoi(after.substr(0, colon)) * 3600 + std::stoi(after.substr(colon + 1)) * 60);
}

const auto all_equal = boost::test_tools::per_element();
using texts = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(what_uses_other_cpus_passes_a_top_job) {
  auto c = four_of_fourteen();
  c.jobs = {runs(642, 3, "01:00:00", c), asks(643, 2, "00:10:00"), asks(645, 1, "02:00:00")};
  const auto o = cycle_of(c);
  BOOST_TEST(lines(o) == (texts{"643 Estimating the start time for a top job.", "642 Simulation: job end point [" + at("1:00") + "]",
                                "643 Job is a top job and will run at " + at("1:00"),
                                "643 Insufficient amount of resource: ncpus (R: 2 A: 1 T: 14)", "645 Job run"}),
             all_equal);
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].job == 643u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 3600);
  BOOST_TEST(o.r.estimates[0].exec_vnode == "(p1:ncpus=2)");
}

BOOST_AUTO_TEST_CASE(what_would_delay_a_top_job_waits_and_what_ends_before_runs) {
  auto c = four_of_fourteen();
  c.jobs = {runs(646, 3, "01:00:00", c), asks(647, 4, "00:10:00"), asks(648, 1, "02:00:00"),
            asks(649, 1, "02:00:00"), asks(650, 1, "00:30:00"), asks(651, 1)};
  const auto o = cycle_of(c);
  BOOST_TEST(lines(o) == (texts{"647 Estimating the start time for a top job.", "646 Simulation: job end point [" + at("1:00") + "]",
                                "647 Job is a top job and will run at " + at("1:00"),
                                "647 Insufficient amount of resource: ncpus (R: 4 A: 1 T: 14)",
                                "648 Job would conflict with reservation or top job", "649 Job would conflict with reservation or top job",
                                "650 Job run", "651 No available resources on nodes"}),
             all_equal);
}

BOOST_AUTO_TEST_CASE(a_job_that_ends_when_the_top_job_begins_is_not_in_its_way) {
  auto c = four_of_fourteen();
  c.jobs = {runs(1, 3, "01:00:00", c), asks(2, 4, "00:10:00"), asks(3, 1, "01:00:00")};
  BOOST_TEST(cycle_of(c).r.runs.size() == 1u);
  c.jobs.back().resources["walltime"] = "01:00:01";
  BOOST_TEST(cycle_of(c).r.runs.empty());
}

BOOST_AUTO_TEST_CASE(without_backfilling_nothing_passes_a_job_that_waits_for_room) {
  auto c = four_of_fourteen();
  c.server["backfill_depth"] = "0";
  c.jobs = {runs(652, 3, "01:00:00", c), asks(653, 4, "00:10:00"), asks(654, 1, "00:10:00")};
  const auto o = cycle_of(c);
  BOOST_TEST(lines(o) == (texts{"653 Insufficient amount of resource: ncpus (R: 4 A: 1 T: 14)", "654 Job would break strict sorted order"}),
             all_equal);
  BOOST_TEST(o.r.estimates.empty());
}

BOOST_AUTO_TEST_CASE(a_second_top_job_runs_after_the_first) {  // MS-65
  auto c = four_of_fourteen();
  c.server["backfill_depth"] = "2";
  c.jobs = {runs(655, 3, "01:00:00", c), asks(656, 4, "00:10:00"), asks(657, 2, "00:20:00"), asks(658, 2, "03:00:00")};
  const auto o = cycle_of(c);
  BOOST_TEST(
      lines(o) ==
          (texts{"656 Estimating the start time for a top job.", "655 Simulation: job end point [" + at("1:00") + "]",
                 "656 Job is a top job and will run at " + at("1:00"), "656 Insufficient amount of resource: ncpus (R: 4 A: 1 T: 14)",
                 "657 Estimating the start time for a top job.", "655 Simulation: job end point [" + at("1:00") + "]",
                 "656 Simulation: job start point [" + at("1:00") + "]", "656 Simulation: job end point [" + at("1:10") + "]",
                 "657 Job is a top job and will run at " + at("1:10"), "657 Insufficient amount of resource: ncpus (R: 2 A: 1 T: 14)",
                 "658 Insufficient amount of resource: ncpus (R: 2 A: 1 T: 14)"}),
      all_equal);
}

BOOST_AUTO_TEST_CASE(a_later_top_job_may_run_before_an_earlier_one) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.server["backfill_depth"] = "3";
  c.jobs = {runs(27, 3, "01:00:00", c), runs(26, 1, "00:30:00", c), asks(28, 4, "00:10:00"), asks(29, 4, "30:00:00"),
            asks(30, 1, "00:30:00")};
  const auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.estimates.size() == 3u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 3600);
  BOOST_TEST(o.r.estimates[1].start == some_day + 4200);
  BOOST_TEST(o.r.estimates[2].start == some_day + 1800);
}

BOOST_AUTO_TEST_CASE(a_job_that_may_be_no_top_job_is_passed) {
  auto c = four_of_fourteen();
  c.jobs = {runs(659, 3, "01:00:00", c), asks(660, 4, "00:10:00"), asks(661, 1, "02:00:00")};
  c.jobs[1].topjob_ineligible = true;
  BOOST_TEST(lines(cycle_of(c)) == (texts{"660 Insufficient amount of resource: ncpus (R: 4 A: 1 T: 14)", "661 Job run"}), all_equal);
}

BOOST_AUTO_TEST_CASE(without_strict_ordering_there_are_no_top_jobs) {
  auto c = four_of_fourteen();
  c.jobs = {runs(662, 3, "01:00:00", c), asks(663, 4, "00:10:00"), asks(664, 1, "02:00:00")};
  const auto o = cycle_of(c, parse_policy(shipped_sched_config()).value);
  BOOST_TEST(lines(o) == (texts{"663 Insufficient amount of resource: ncpus (R: 4 A: 1 T: 14)", "664 Job run"}), all_equal);
}

BOOST_AUTO_TEST_CASE(a_queue_has_a_depth_of_its_own) {  // MS-65
  auto c = four_of_fourteen();
  c.server["backfill_depth"] = "0";
  c.queues.push_back(execution_queue("deep"));
  c.queues[1].attributes["backfill_depth"] = "2";
  c.jobs = {runs(1, 3, "01:00:00", c), asks(2, 4, "00:10:00"), asks(3, 1, "00:10:00"), asks(4, 4, "00:10:00"), asks(5, 1, "00:20:00")};
  c.jobs[3].queue = c.jobs[4].queue = "deep";
  const auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].job == 4u);
  BOOST_REQUIRE(o.r.runs.size() == 1u);
  BOOST_TEST(o.r.runs[0].job == 5u);
}

BOOST_AUTO_TEST_CASE(what_a_rule_forbids_blocks_nobody) {
  auto c = four_of_fourteen();
  c.server["backfill_depth"] = "0";
  c.queues.push_back(execution_queue("stopped"));
  c.queues[1].attributes["started"] = "False";
  c.jobs = {asks(1, 1), asks(2, 40), asks(3, 1)};
  c.jobs[0].queue = "stopped";
  c.jobs[0].rank = -1;
  BOOST_TEST(cycle_of(c).r.runs.size() == 1u);  // 2 can never run
}

BOOST_AUTO_TEST_CASE(the_servers_pool_is_kept_for_a_top_job) {  // resources_available of the server
  small_cluster c;
  c.resources = {{"lic", "long", "q"}};
  c.server_available["lic"] = "4";
  c.vnodes = {simple_vnode("p1", 40)};
  c.jobs = {runs(1, 1, "01:00:00", c), asks(2, 1, "00:10:00"), asks(3, 1, "02:00:00"), asks(4, 1, "00:30:00")};
  c.jobs[0].resources["lic"] = "3";
  c.jobs[1].resources["lic"] = "4";
  c.jobs[2].resources["lic"] = c.jobs[3].resources["lic"] = "1";
  const auto o = cycle_of(c, parse_policy(shipped_sched_config() + "strict_ordering: True ALL\nresources: \"ncpus, lic\"\n").value);
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 3600);
  BOOST_REQUIRE(o.r.runs.size() == 1u);
  BOOST_TEST(o.r.runs[0].job == 4u);
}

BOOST_AUTO_TEST_CASE(a_vnode_wanted_alone_is_kept_free_of_others) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.jobs = {runs(1, 1, "01:00:00", c), asks(2, 1, "00:10:00"), asks(3, 1, "02:00:00"), asks(4, 1, "00:30:00")};
  c.jobs[1].place = "free:excl";
  const auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 3600);
  BOOST_REQUIRE(o.r.runs.size() == 1u);
  BOOST_TEST(o.r.runs[0].job == 4u);
}

BOOST_AUTO_TEST_CASE(a_busy_vnode_serves_when_its_jobs_are_over) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};
  c.jobs = {runs(1, 4, "01:00:00", c, some_day - 1800), asks(2, 4, "00:10:00")};
  c.vnodes[0].state = "job-busy";
  const auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 1800);
}

BOOST_AUTO_TEST_CASE(what_a_job_shows_already_is_not_said_again_and_former_estimates_go_only_if_the_site_wants_it) {
  auto c = four_of_fourteen();
  c.jobs = {runs(1, 3, "01:00:00", c), asks(2, 4, "00:10:00"), asks(3, 4, "00:10:00")};
  for (std::size_t i = 1; i <= 2; ++i) {
    c.jobs[i].estimated = some_day + 3600;
    c.jobs[i].estimated_vnode = "(p1:ncpus=4)";
    c.jobs[i].topjob = true;
  }
  auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].job == 3u);
  BOOST_TEST(o.r.estimates[0].former);
  BOOST_TEST(o.r.estimates[0].start == some_day + 3600);
  BOOST_TEST(o.r.estimates[0].exec_vnode == "(p1:ncpus=4)");
  c.jobs[2].topjob = false;
  BOOST_TEST(cycle_of(c).r.estimates.empty());
  c.jobs[1].topjob = false;  // it was one, and is one again
  o = cycle_of(c);
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].job == 2u);
  BOOST_TEST(!o.r.estimates[0].former);
  c.jobs[1].topjob = true;
  c.server["clear_topjob_estimates_enable"] = "True";
  const auto cleared = cycle_of(c).r.estimates;
  BOOST_REQUIRE(cleared.size() == 1u);
  BOOST_TEST(cleared[0].job == 3u);
  BOOST_TEST(cleared[0].start == 0);
}

// -- against one that tries everything -----------------------------------------------------------------------------------------

namespace {

using dice = std::mt19937_64;
unsigned roll(dice& d, unsigned n) { return static_cast<unsigned>(d() % n); }

struct span {
  moment start, end;
  std::map<std::string, int> cpus;  // by vnode
};

std::map<std::string, int> cpus_of(const std::string& exec_vnode) {
  std::map<std::string, int> out;
  const auto spec = values::parse_exec_vnode(exec_vnode);
  BOOST_REQUIRE(spec);
  for (const auto& chunk : spec->chunks)
    for (const auto& part : chunk.parts) out[part.vnode] += static_cast<int>(*values::parse_integer(*part.find("ncpus")));
  return out;
}

struct random_system {
  small_cluster c;
  std::map<std::string, int> size;
  std::vector<span> running;
  struct wish {
    int chunks, cpus;
    std::int64_t seconds;
  };
  std::map<std::uint64_t, wish> wishes;

  explicit random_system(dice& d) {
    for (unsigned h = 0, hosts = 1 + roll(d, 3); h < hosts; ++h) {
      const int cpus = 1 + static_cast<int>(roll(d, 5));
      c.vnodes.push_back(simple_vnode("h" + std::to_string(h), cpus));
      size[c.vnodes.back().name] = cpus;
    }
    for (std::uint64_t serial = 1; serial <= 4; ++serial) add_running(d, serial);
    for (std::uint64_t serial = 10; serial < 18; ++serial) add_queued(d, serial);
    c.server["backfill_depth"] = std::to_string(1 + roll(d, 3));
  }

  void add_running(dice& d, std::uint64_t serial) {
    auto& v = c.vnodes[roll(d, static_cast<unsigned>(c.vnodes.size()))];
    const int used = v.assigned.contains("ncpus") ? std::stoi(v.assigned["ncpus"]) : 0;
    if (used == size[v.name]) return;
    const int cpus = 1 + static_cast<int>(roll(d, static_cast<unsigned>(size[v.name] - used)));
    const std::int64_t seconds = 60 * (1 + static_cast<std::int64_t>(roll(d, 8)));
    place(serial, {{v.name, cpus}}, seconds);
  }

  void place(std::uint64_t serial, const std::map<std::string, int>& cpus, std::int64_t seconds) {
    job_row j;
    j.serial = serial;
    j.id = std::to_string(serial) + ".p1";
    j.state = 'R';
    j.started = some_day;
    j.resources["walltime"] = std::to_string(seconds);
    for (const auto& [name, n] : cpus) {
      auto& v = c.vnode(name);
      j.exec_vnode += (j.exec_vnode.empty() ? "(" : "+(") + name + ":ncpus=" + std::to_string(n) + ")";
      j.exec_host += (j.exec_host.empty() ? "" : "+") + name + "/" + std::to_string(serial);
      v.assigned["ncpus"] = std::to_string((v.assigned.contains("ncpus") ? std::stoi(v.assigned["ncpus"]) : 0) + n);
      v.jobs.emplace_back(serial, false);
    }
    c.jobs.push_back(j);
    running.push_back({some_day, some_day + seconds, cpus});
  }

  void add_queued(dice& d, std::uint64_t serial) {
    const wish w{1 + static_cast<int>(roll(d, 3)), 1 + static_cast<int>(roll(d, 3)), 60 * (1 + static_cast<std::int64_t>(roll(d, 6)))};
    auto j = asks(serial, w.cpus, std::to_string(w.seconds));
    j.schedselect = std::to_string(w.chunks) + ":ncpus=" + std::to_string(w.cpus);
    c.jobs.push_back(j);
    wishes[serial] = w;
  }

  // The least that is free on the vnode from `from` until `to`, second by second only where something begins or ends.
  int least_free(const std::string& vnode, const std::vector<span>& taken, moment from, moment to) const {
    const auto free_at = [&](moment t) {
      int left = size.at(vnode);
      for (const auto& s : taken)
        if (s.start <= t && t < s.end && s.cpus.contains(vnode)) left -= s.cpus.at(vnode);
      return left;
    };
    int least = free_at(from);
    for (const auto& s : taken)
      if (s.start > from && s.start < to) least = std::min(least, free_at(s.start));
    return least;
  }

  bool fits(const wish& w, const std::vector<span>& taken, moment from) const {
    int chunks = 0;
    for (const auto& [name, cpus] : size) chunks += std::max(0, least_free(name, taken, from, from + w.seconds)) / w.cpus;
    return chunks >= w.chunks;
  }

  moment first_time(const wish& w, const std::vector<span>& taken) const {
    std::vector<moment> times{some_day};
    for (const auto& s : taken) times.push_back(s.end);
    std::sort(times.begin(), times.end());
    for (const moment t : times)
      if (t >= some_day && fits(w, taken, t)) return t;
    return 0;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(top_jobs_start_as_early_as_can_be_and_nothing_is_in_their_way) {
  const auto p = strict();
  std::size_t tops = 0, passed = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      dice d(seed);
      random_system s(d);
      view v;
      BOOST_REQUIRE(v.apply(*s.c.full_view()));
      const auto r = run_cycle(v, p, some_day);

      auto taken = s.running;
      std::map<std::uint64_t, const job_estimate*> estimate_of;
      for (const auto& e : r.estimates) estimate_of[e.job] = &e;
      std::map<std::uint64_t, const proposed_run*> run_of;
      for (const auto& run : r.runs) run_of[run.job] = &run;
      for (const auto& [serial, w] : s.wishes) {
        span mine{some_day, some_day + w.seconds, {}};
        if (run_of.contains(serial)) {
          mine.cpus = cpus_of(run_of[serial]->exec_vnode);
          passed += !estimate_of.empty() && serial > estimate_of.begin()->first;
        } else if (estimate_of.contains(serial)) {
          const auto& e = *estimate_of[serial];
          BOOST_TEST(e.start == s.first_time(w, taken), "job " << serial);
          mine = {e.start, e.start + w.seconds, cpus_of(e.exec_vnode)};
          ++tops;
        } else {
          continue;
        }
        for (const auto& [name, n] : mine.cpus)
          BOOST_TEST(n <= s.least_free(name, taken, mine.start, mine.end), "job " << serial << " is beyond " << name);
        taken.push_back(mine);
      }

      // In the next cycle what passed them runs: no top job is pushed back.
      auto next = s;
      for (const auto& run : r.runs) {
        std::erase_if(next.c.jobs, [&](const job_row& j) { return j.serial == run.job; });
        next.place(run.job, cpus_of(run.exec_vnode), s.wishes.at(run.job).seconds);
      }
      for (auto& j : next.c.jobs)
        if (estimate_of.contains(j.serial)) {
          j.topjob = true;
          j.estimated = estimate_of[j.serial]->start;
          j.estimated_vnode = estimate_of[j.serial]->exec_vnode;
        }
      view then;
      BOOST_REQUIRE(then.apply(*next.c.full_view()));
      for (const auto& e : run_cycle(then, p, some_day).estimates)
        if (estimate_of.contains(e.job)) BOOST_TEST(e.start <= estimate_of[e.job]->start, "job " << e.job << " was pushed back");
    }
  }
  BOOST_TEST(tops > 1000u);
  BOOST_TEST(passed > 200u);
}
