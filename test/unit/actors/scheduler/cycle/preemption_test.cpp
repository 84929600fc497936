// Who makes room for whom (pbs guide: preemption). The transcripts of a real PBS are those of its tests S6 and Y1 to Y3.
#include <boost/test/unit_test.hpp>

#include <algorithm>
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

using how = preempt_victim::method;
using texts = std::vector<std::string>;
const auto all_equal = boost::test_tools::per_element();

job_row asks(std::uint64_t serial, int cpus, const std::string& queue = "workq") {
  job_row j;
  j.serial = serial;
  j.id = std::to_string(serial) + ".p1";
  j.rank = static_cast<std::int64_t>(serial);
  j.queue = queue;
  j.schedselect = "1:ncpus=" + std::to_string(cpus);
  j.resources["ncpus"] = std::to_string(cpus);
  return j;
}

job_row runs(small_cluster& c, std::uint64_t serial, int cpus, const std::string& on = "p1", const std::string& queue = "workq") {
  auto j = asks(serial, cpus, queue);
  j.state = 'R';
  j.exec_vnode = "(" + on + ":ncpus=" + std::to_string(cpus) + ")";
  j.exec_host = on + "/" + std::to_string(serial);
  j.started = some_day - 1000 + static_cast<std::int64_t>(serial);
  auto& v = c.vnode(on);
  v.jobs.emplace_back(serial, false);
  const auto used = (v.assigned.contains("ncpus") ? *values::parse_integer(v.assigned["ncpus"]) : 0) + cpus;
  v.assigned["ncpus"] = std::to_string(used);
  if (std::to_string(used) == v.available["ncpus"]) v.state = "job-busy";
  return j;
}

job_row suspended_on(std::uint64_t serial, int cpus, const std::string& on = "p1", const std::string& queue = "workq") {
  auto j = asks(serial, cpus, queue);
  j.state = 'S';
  j.resume = true;
  j.exec_vnode = "(" + on + ":ncpus=" + std::to_string(cpus) + ")";
  j.exec_host = on + "/0*" + std::to_string(cpus);
  return j;
}

small_cluster with_express(int cpus = 4) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", cpus)};
  c.queues.push_back(execution_queue("exp"));
  c.queues[1].attributes["Priority"] = "200";
  return c;
}

struct outcome {
  view v;
  result r;
};
outcome cycle_of(const small_cluster& c, const std::string& more = "") {
  outcome o;
  BOOST_REQUIRE(o.v.apply(*c.full_view()));
  o.r = run_cycle(o.v, parse_policy(shipped_sched_config() + more).value, some_day);
  return o;
}

texts lines_of(const result& r) {
  texts out;
  for (const auto& l : r.log)
    if (std::string(l.log_class) == "Job" && l.text != "Considering job to run")
      out.push_back(std::string(l.object).substr(0, l.object.find('.')) + " " + std::string(l.text));
  return out;
}

texts victims_of(const result& r) {
  texts out;
  for (const auto& run : r.runs)
    for (const auto& v : run.victims)
      out.push_back(std::to_string(v.job) + (v.by == how::suspend      ? " S"
                                             : v.by == how::checkpoint ? " C"
                                             : v.by == how::requeue    ? " R"
                                                                       : " D"));
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_job_of_an_express_queue_suspends_another) {
  auto c = with_express();
  c.jobs = {runs(c, 664, 4), asks(665, 4, "exp")};
  BOOST_TEST(lines_of(cycle_of(c).r) ==
                 (texts{"665 Employing preemption to try and run high priority job.", "664 Simulation: preempting job",
                        "665 Simulation: Preempted enough work to run job", "664 Job preempted by suspension", "665 Job run",
                        "664 Not enough free nodes available"}),
             all_equal);
}

BOOST_AUTO_TEST_CASE(nobody_is_suspended_for_what_he_would_keep) {  // restrict_res_to_release_on_suspend
  const auto suspended = [](const char* released) {
    auto c = with_express();
    c.server["restrict_res_to_release_on_suspend"] = released;
    c.vnodes[0].available["mem"] = "8gb";
    c.jobs = {runs(c, 1, 1), asks(2, 1, "exp")};
    c.jobs[0].exec_vnode = "(p1:ncpus=1:mem=8388608kb)";
    c.jobs[0].resources["mem"] = "8gb";
    c.vnode("p1").assigned["mem"] = "8388608kb";
    c.jobs[1].schedselect = "1:ncpus=1:mem=1gb";
    c.jobs[1].resources["mem"] = "1gb";
    return victims_of(cycle_of(c).r);
  };
  BOOST_TEST(suspended("ncpus").empty());
  BOOST_TEST(suspended("ncpus,mem") == texts{"1 S"}, all_equal);
}

BOOST_AUTO_TEST_CASE(who_may_preempt_is_not_judged_by_who_may_not) {
  auto c = with_express();
  c.scheduler["preempt_prio"] = "normal_jobs, server_softlimits";
  c.jobs = {runs(c, 1, 4), asks(2, 4), asks(3, 4)};
  c.jobs[0].euser = c.jobs[1].euser = "alice";
  c.jobs[2].euser = "bob";
  c.server["max_run_soft"] = "[u:alice=0]";
  BOOST_TEST(victims_of(cycle_of(c).r) == texts{"1 S"}, all_equal);
}

BOOST_AUTO_TEST_CASE(the_first_method_that_is_there_is_used) {
  const auto by = [](const std::string& order, bool rerunable = true) {
    auto c = with_express();
    c.scheduler["preempt_order"] = order;
    c.jobs = {runs(c, 1, 4), asks(2, 4, "exp")};
    c.jobs[0].rerunable = rerunable;
    return victims_of(cycle_of(c).r);
  };
  BOOST_TEST(by("SCR") == texts{"1 S"}, all_equal);
  BOOST_TEST(by("R") == texts{"1 R"}, all_equal);
  BOOST_TEST(by("D") == texts{"1 D"}, all_equal);
  BOOST_TEST(by("CR") == texts{"1 R"}, all_equal);  // its host has no script for it
  BOOST_TEST(by("C").empty());
  BOOST_TEST(by("R", false).empty());
  BOOST_TEST(by("RD", false) == texts{"1 D"}, all_equal);
}

BOOST_AUTO_TEST_CASE(a_method_that_is_not_there_fails_and_the_job_waits) {
  auto c = with_express();
  c.scheduler["preempt_order"] = "C";
  c.jobs = {runs(c, 666, 4), asks(667, 4, "exp")};
  BOOST_TEST(lines_of(cycle_of(c).r) ==
                 (texts{"667 Employing preemption to try and run high priority job.", "666 Simulation: preempting job",
                        "667 Simulation: Preempted enough work to run job", "666 Job failed to be preempted",
                        "667 Employing preemption to try and run high priority job.", "667 Not enough free nodes available"}),
             all_equal);
}

BOOST_AUTO_TEST_CASE(a_job_whose_host_can_is_checkpointed) {
  auto c = with_express();
  c.scheduler["preempt_order"] = "CR";
  c.jobs = {runs(c, 666, 4), asks(667, 4, "exp")};
  c.jobs[0].can_checkpoint = true;
  c.jobs[0].rerunable = false;
  const auto o = cycle_of(c);
  BOOST_TEST(victims_of(o.r) == texts{"666 C"}, all_equal);
  BOOST_TEST(lines_of(o.r) ==
                 (texts{"667 Employing preemption to try and run high priority job.", "666 Simulation: preempting job",
                        "667 Simulation: Preempted enough work to run job", "666 Job preempted by checkpointing", "667 Job run",
                        "666 Not enough free nodes available"}),
             all_equal);
}

BOOST_AUTO_TEST_CASE(a_checkpointed_job_runs_where_it_was_or_waits) {
  auto c = with_express();
  c.vnodes.push_back(simple_vnode("p2", 4));
  c.jobs = {runs(c, 1, 2, "p2"), asks(2, 2), asks(3, 4)};
  c.jobs[1].exec_vnode = "(p2:ncpus=2)";  // of its run that was checkpointed
  c.jobs[2].exec_vnode = "(p2:ncpus=4)";
  const auto r = cycle_of(c).r;
  BOOST_REQUIRE(r.runs.size() == 1u);
  BOOST_TEST(r.runs[0].job == 2u);
  BOOST_TEST(r.runs[0].exec_vnode == "(p2:ncpus=2)");
  BOOST_TEST(r.runs[0].exec_host == "p2/0*2");
  BOOST_TEST(r.runs[0].hosts == texts{"p2"}, all_equal);
}

BOOST_AUTO_TEST_CASE(methods_depend_on_how_much_of_its_time_a_job_has_left) {
  const auto by = [](std::int64_t ran, const char* soft_walltime = "") {
    auto c = with_express();
    c.scheduler["preempt_order"] = "R 50 S";
    c.jobs = {runs(c, 1, 4), asks(2, 4, "exp")};
    c.jobs[0].resources["walltime"] = "1000";
    if (*soft_walltime != '\0') c.jobs[0].resources["soft_walltime"] = soft_walltime;
    c.jobs[0].started = some_day - ran;
    return victims_of(cycle_of(c).r);
  };
  BOOST_TEST(by(100) == texts{"1 R"}, all_equal);
  BOOST_TEST(by(499) == texts{"1 R"}, all_equal);
  BOOST_TEST(by(500) == texts{"1 S"}, all_equal);
  BOOST_TEST(by(2000) == texts{"1 S"}, all_equal);
  BOOST_TEST(by(100, "300") == texts{"1 R"}, all_equal);
  BOOST_TEST(by(200, "300") == texts{"1 S"}, all_equal);
}

BOOST_AUTO_TEST_CASE(the_youngest_goes_first_and_nobody_for_nothing) {
  auto c = with_express();
  c.jobs = {runs(c, 680, 2), runs(c, 681, 2), asks(682, 2, "exp")};
  BOOST_TEST(victims_of(cycle_of(c).r) == texts{"681 S"}, all_equal);
  c.jobs[2] = asks(682, 4, "exp");
  BOOST_TEST(victims_of(cycle_of(c).r) == (texts{"680 S", "681 S"}), all_equal);
  c.jobs[2] = asks(682, 5, "exp");
  BOOST_TEST(victims_of(cycle_of(c).r).empty());
}

BOOST_AUTO_TEST_CASE(a_young_job_that_is_no_help_stays) {
  auto c = with_express();
  c.vnodes.push_back(simple_vnode("p2", 1));
  c.jobs = {runs(c, 1, 4), runs(c, 2, 1, "p2"), asks(3, 3, "exp")};
  BOOST_TEST(victims_of(cycle_of(c).r) == texts{"1 S"}, all_equal);
}

BOOST_AUTO_TEST_CASE(nobody_preempts_his_equals_and_the_site_may_want_no_preemption) {
  auto c = with_express();
  c.jobs = {runs(c, 1, 4), asks(2, 4)};
  BOOST_TEST(lines_of(cycle_of(c).r) == texts{"2 Not enough free nodes available"}, all_equal);
  c = with_express();
  c.jobs = {runs(c, 1, 4, "p1", "exp"), asks(2, 4, "exp")};
  BOOST_TEST(victims_of(cycle_of(c).r).empty());
  c = with_express();
  c.jobs = {runs(c, 1, 4), asks(2, 4, "exp")};
  BOOST_TEST(lines_of(cycle_of(c, "preemptive_sched: False ALL\n").r) == texts{"2 Not enough free nodes available"}, all_equal);
  c.scheduler["preempt_queue_prio"] = "201";
  BOOST_TEST(victims_of(cycle_of(c).r).empty());
}

BOOST_AUTO_TEST_CASE(a_normal_job_preempts_one_of_somebody_who_is_over_a_soft_limit) {
  auto c = with_express();
  c.scheduler["preempt_prio"] = "express_queue, normal_jobs, server_softlimits, queue_softlimits";
  c.server["max_run_soft"] = "[u:pbsuser=0]";
  c.jobs = {runs(c, 685, 4), asks(686, 4)};
  c.jobs[1].euser = "pbsuser1";
  BOOST_TEST(victims_of(cycle_of(c).r) == texts{"685 S"}, all_equal);
  c.server["max_run_soft"] = "[u:pbsuser=1]";
  BOOST_TEST(victims_of(cycle_of(c).r).empty());
}

BOOST_AUTO_TEST_CASE(a_job_may_say_whom_it_preempts) {
  const auto with = [](const std::string& targets, const char* enabled = nullptr) {
    auto c = with_express();
    if (enabled) c.scheduler["preempt_targets_enable"] = enabled;
    c.jobs = {runs(c, 1, 4), asks(2, 4, "exp")};
    c.jobs[1].resources["preempt_targets"] = targets;
    return lines_of(cycle_of(c).r)[1];
  };
  BOOST_TEST(with("Queue=qa") == "2 Limited running jobs used for preemption from 1 to 0: No jobs to preempt");
  BOOST_TEST(with("Queue=workq") == "2 Limited running jobs used for preemption from 1 to 1");
  BOOST_TEST(with("queue=qa,queue=workq") == "2 Limited running jobs used for preemption from 1 to 1");
  BOOST_TEST(with("Queue=qa,resource_list.ncpus=4") == "2 Limited running jobs used for preemption from 1 to 1");
  BOOST_TEST(with("Queue=qa,Resource_List.ncpus=4") == "2 Limited running jobs used for preemption from 1 to 1");
  BOOST_TEST(with("Resource_List.ncpus=3") == "2 Limited running jobs used for preemption from 1 to 0: No jobs to preempt");
  BOOST_TEST(with("NONE") == "2 No preemption set specified for the job: Job will not preempt");
  for (const char* targets : {"Queue=qa", "NONE"}) BOOST_TEST(with(targets, "False") == "1 Simulation: preempting job");
}

BOOST_AUTO_TEST_CASE(nobody_else_goes_for_a_job_that_waits_for_one_that_leaves) {
  auto c = with_express();
  c.vnodes.push_back(simple_vnode("p2", 4));
  c.jobs = {runs(c, 1, 4), runs(c, 2, 4, "p2"), asks(3, 4, "exp"), asks(4, 1)};
  c.jobs[0].leaving = true;
  BOOST_TEST(cycle_of(c).r.runs.empty());
}

BOOST_AUTO_TEST_CASE(who_could_preempt_a_suspended_job_comes_before_it) {
  auto c = with_express();
  auto suspended = asks(1, 4);
  suspended.state = 'S';
  suspended.resume = true;
  suspended.exec_vnode = "(p1:ncpus=4)";
  suspended.exec_host = "p1/0*4";
  c.jobs = {suspended, asks(2, 4, "exp")};
  auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.runs.size() == 1u);
  BOOST_TEST(o.r.runs[0].job == 2u);
  BOOST_TEST(o.r.comments[o.r.reasons[0].comment] == "Not Running: Not enough free nodes available");
  c.jobs[1] = asks(2, 4);
  BOOST_TEST(cycle_of(c).r.runs[0].job == 1u);
}

// The express job comes before the suspended normal one, not before the suspended express one.
BOOST_AUTO_TEST_CASE(each_suspended_job_comes_after_those_alone_that_could_preempt_it) {
  auto c = with_express();
  c.queues.push_back(execution_queue("low"));
  c.scheduler["preempt_prio"] = "express_queue, normal_jobs, queue_softlimits";
  c.queues[2].attributes["max_run_soft"] = "[u:PBS_GENERIC=0]";
  const auto suspended = [](job_row j) {
    j.state = 'S';
    j.resume = true;
    j.exec_vnode = "(p1:ncpus=4)";
    j.exec_host = "p1/0*4";
    return j;
  };
  const auto runs_first = [&](const job_row& a, const job_row& b, const job_row& queued) {
    c.jobs = {a, b, queued};
    const auto o = cycle_of(c);
    BOOST_REQUIRE(o.r.runs.size() == 1u);
    return o.r.runs[0].job;
  };
  const auto express = suspended(asks(1, 4, "exp")), normal = suspended(asks(2, 4)), low = suspended(asks(3, 4, "low"));
  const auto other_low = suspended(asks(5, 4, "low"));
  BOOST_TEST(runs_first(normal, low, asks(4, 4)) == 2u);
  BOOST_TEST(runs_first(low, normal, asks(4, 4)) == 2u);
  BOOST_TEST(runs_first(low, other_low, asks(4, 4)) == 4u);
  BOOST_TEST(runs_first(normal, low, asks(4, 4, "exp")) == 4u);
  BOOST_TEST(runs_first(normal, express, asks(4, 4, "exp")) == 1u);
  c.vnodes[0].available["ncpus"] = "8";  // there is room for two
  c.jobs = {normal, low, asks(4, 4)};
  const auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.runs.size() == 2u);
  BOOST_TEST(o.r.runs[0].job == 2u);
  BOOST_TEST(o.r.runs[1].job == 4u);  // and not the low one, which it would suspend again
}

// PBS of the policy transcripts: a job of an express queue that is to go on suspends who has come meanwhile.
BOOST_AUTO_TEST_CASE(a_suspended_job_may_preempt_to_go_on) {
  auto c = with_express();
  c.jobs = {runs(c, 10, 4), suspended_on(11, 4, "p1", "exp")};
  auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.runs.size() == 1u);
  BOOST_TEST(o.r.runs[0].job == 11u);
  BOOST_TEST(o.r.runs[0].exec_vnode == "(p1:ncpus=4)");
  BOOST_TEST(o.r.runs[0].hosts.empty());  // it goes on where it is
  BOOST_TEST(victims_of(o.r) == texts{"10 S"}, all_equal);
  BOOST_TEST(lines_of(o.r) ==
                 (texts{"11 Employing preemption to try and run high priority job.", "10 Simulation: preempting job",
                        "11 Simulation: Preempted enough work to run job", "10 Job preempted by suspension", "11 Job run",
                        "10 Not enough free nodes available"}),
             all_equal);
}

// One that is over a limit waits, as PBS says it, though there is a level below its own.
BOOST_AUTO_TEST_CASE(a_suspended_job_below_the_normal_level_preempts_nobody) {
  auto c = with_express();
  c.scheduler["preempt_prio"] = "express_queue, normal_jobs, server_softlimits, queue_softlimits";
  c.server["max_run_soft"] = "[u:bob=0]";
  c.jobs = {runs(c, 10, 4), suspended_on(11, 4, "p1", "workq")};
  c.jobs[0].euser = "carol";
  c.jobs[1].euser = "bob";
  BOOST_TEST(lines_of(cycle_of(c).r) == texts{"11 Not enough free nodes available"}, all_equal);
  c.server["max_run_soft"] = "[u:carol=0]";
  BOOST_TEST(victims_of(cycle_of(c).r) == texts{"10 S"}, all_equal);
}

BOOST_AUTO_TEST_CASE(who_goes_for_a_suspended_job_has_its_place_and_is_less_important) {
  auto c = with_express();
  c.vnodes.push_back(simple_vnode("p2", 4));
  c.jobs = {runs(c, 10, 4), runs(c, 12, 4, "p2"), suspended_on(11, 2, "p1", "exp")};
  BOOST_TEST(victims_of(cycle_of(c).r) == texts{"10 S"}, all_equal);  // 12 is younger, and elsewhere
  c.jobs[0].leaving = true;
  BOOST_TEST(cycle_of(c).r.runs.empty());
  c.jobs[0].leaving = false;
  c.jobs[2].queue = "workq";
  const auto o = cycle_of(c);
  BOOST_TEST(o.r.runs.empty());
  BOOST_TEST(o.r.comments[o.r.reasons[0].comment] == "Not Running: Not enough free nodes available");
}

BOOST_AUTO_TEST_CASE(nobody_takes_the_room_of_a_suspended_job_if_the_site_wants_that) {  // sched_preempt_enforce_resumption
  auto c = with_express();
  auto suspended = asks(1, 4);
  suspended.state = 'S';
  suspended.resume = true;
  suspended.exec_vnode = "(p1:ncpus=4)";
  suspended.exec_host = "p1/0*4";
  c.jobs = {runs(c, 2, 2, "p1", "exp"), suspended, asks(3, 1), asks(4, 1)};
  c.jobs[0].started = some_day;
  c.jobs[0].resources["walltime"] = "01:00:00";
  c.jobs[2].resources["walltime"] = "01:00:01";
  c.jobs[3].resources["walltime"] = "01:00:00";
  BOOST_TEST(cycle_of(c).r.runs.size() == 2u);
  c.scheduler["sched_preempt_enforce_resumption"] = "True";
  auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.runs.size() == 1u);
  BOOST_TEST(o.r.runs[0].job == 4u);
  BOOST_REQUIRE(o.r.reasons.size() == 2u);
  BOOST_TEST(o.r.comments[o.r.reasons[0].comment] == "Not Running: Not enough free nodes available");
  BOOST_TEST(o.r.comments[o.r.reasons[1].comment] == "Not Running: Job would conflict with reservation or top job");
  BOOST_TEST(o.r.blockers[o.r.reasons[1].behind - 1] == "1.p1");
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].job == 1u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 3600);
  BOOST_TEST(o.r.estimates[0].exec_vnode == "(p1:ncpus=4)");
  const auto lines = lines_of(o.r);
  BOOST_TEST(std::count(lines.begin(), lines.end(), "1 Job is a top job and will run at " + values::print_date(some_day + 3600)) == 1);
  c.jobs[2].queue = "exp";  // more important
  o = cycle_of(c);
  BOOST_REQUIRE(o.r.runs.size() == 2u);
  BOOST_TEST(o.r.runs[0].job == 3u);
}

BOOST_AUTO_TEST_CASE(a_suspended_job_is_a_top_job_as_long_as_the_site_wants_that) {
  auto c = with_express();
  c.jobs = {runs(c, 2, 4, "p1", "exp"), suspended_on(1, 4)};
  c.jobs[0].started = some_day;
  c.jobs[0].resources["walltime"] = "01:00:00";
  c.jobs[1].topjob_ineligible = true;
  c.server["backfill_depth"] = "0";
  BOOST_TEST(cycle_of(c).r.estimates.empty());
  c.scheduler["sched_preempt_enforce_resumption"] = "True";
  BOOST_TEST(cycle_of(c).r.estimates.size() == 1u);
  c.jobs[1].estimated = some_day + 3600;
  c.jobs[1].estimated_vnode = "(p1:ncpus=4)";
  c.jobs[1].topjob = true;
  BOOST_TEST(cycle_of(c).r.estimates.empty());  // it shows that already
  c.scheduler.erase("sched_preempt_enforce_resumption");
  const auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].former);
}

// By preempt_order R. Its place may be any, unlike that of a suspended one.
BOOST_AUTO_TEST_CASE(a_job_that_was_queued_again_to_make_room_is_a_top_job_if_the_site_wants_that) {
  auto c = with_express();
  c.jobs = {runs(c, 2, 2, "p1", "exp"), asks(1, 1), asks(3, 4), asks(4, 1)};
  c.jobs[0].started = some_day;
  c.jobs[0].resources["walltime"] = "01:00:00";
  c.jobs[1].resources["walltime"] = "01:00:01";
  c.jobs[3].resources["walltime"] = "01:00:00";
  c.jobs[2].preempted = c.jobs[2].topjob_ineligible = true;
  c.server["backfill_depth"] = "0";
  auto o = cycle_of(c);
  BOOST_TEST(o.r.runs.size() == 2u);
  BOOST_TEST(o.r.estimates.empty());
  c.scheduler["sched_preempt_enforce_resumption"] = "True";
  o = cycle_of(c);
  BOOST_REQUIRE(o.r.runs.size() == 1u);
  BOOST_TEST(o.r.runs[0].job == 4u);
  BOOST_REQUIRE(o.r.reasons.size() == 2u);
  BOOST_TEST(o.r.reasons[0].job == 3u);  // it is considered first
  BOOST_TEST(o.r.reasons[1].job == 1u);
  BOOST_TEST(o.r.comments[o.r.reasons[1].comment] == "Not Running: Job would conflict with reservation or top job");
  BOOST_TEST(o.r.blockers[o.r.reasons[1].behind - 1] == "3.p1");
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].job == 3u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 3600);
  BOOST_TEST(o.r.estimates[0].exec_vnode == "(p1:ncpus=4)");
  c.jobs[1].queue = "exp";  // more important
  o = cycle_of(c);
  BOOST_REQUIRE(o.r.runs.size() == 2u);
  BOOST_TEST(o.r.runs[0].job == 1u);
  c.jobs[2].schedselect = "1:ncpus=2";  // there is room for it
  c.jobs[2].resources["ncpus"] = "2";
  c.jobs[1].queue = "workq";
  o = cycle_of(c);
  BOOST_REQUIRE(o.r.runs.size() == 1u);
  BOOST_TEST(o.r.runs[0].job == 3u);
}

BOOST_AUTO_TEST_CASE(a_top_job_that_was_preempted_does_not_count_in_the_depth) {
  auto c = with_express();
  c.jobs = {runs(c, 2, 4, "p1", "exp"), asks(1, 4), asks(3, 4)};
  c.jobs[0].resources["walltime"] = "01:00:00";
  for (auto at : {1, 2}) c.jobs[static_cast<std::size_t>(at)].resources["walltime"] = "00:10:00";
  c.jobs[2].preempted = true;
  c.scheduler["sched_preempt_enforce_resumption"] = "True";
  const auto o = cycle_of(c, "strict_ordering: True ALL\n");
  BOOST_REQUIRE(o.r.estimates.size() == 2u);
  BOOST_TEST(o.r.estimates[0].job == 1u);
  BOOST_TEST(o.r.estimates[1].job == 3u);
  BOOST_TEST(o.r.estimates[0].start == o.r.estimates[1].start + 600);
}

// By preempt_order C.
BOOST_AUTO_TEST_CASE(a_job_that_waits_with_a_checkpoint_is_a_top_job_where_that_is) {
  auto c = with_express();
  c.vnodes.push_back(simple_vnode("p2", 4));
  c.jobs = {runs(c, 2, 2, "p1", "exp"), asks(1, 2), asks(3, 4)};
  c.jobs[0].started = some_day;
  c.jobs[0].resources["walltime"] = "01:00:00";
  c.jobs[1].resources["walltime"] = "02:00:00";
  c.jobs[2].exec_vnode = "(p1:ncpus=4)";
  c.jobs[2].preempted = true;
  auto o = cycle_of(c);
  BOOST_REQUIRE(o.r.runs.size() == 1u);
  BOOST_TEST(o.r.runs[0].exec_vnode == "(p1:ncpus=2)");
  BOOST_TEST(o.r.estimates.empty());
  c.scheduler["sched_preempt_enforce_resumption"] = "True";
  o = cycle_of(c);
  BOOST_REQUIRE(o.r.runs.size() == 1u);
  BOOST_TEST(o.r.runs[0].exec_vnode == "(p2:ncpus=2)");
  BOOST_REQUIRE(o.r.estimates.size() == 1u);
  BOOST_TEST(o.r.estimates[0].job == 3u);
  BOOST_TEST(o.r.estimates[0].start == some_day + 3600);
  BOOST_TEST(o.r.estimates[0].exec_vnode == "(p1:ncpus=4)");
}

BOOST_AUTO_TEST_CASE(for_one_that_is_asked_for_anybody_goes) {
  auto c = with_express();
  c.jobs = {runs(c, 16, 2), runs(c, 17, 1), runs(c, 18, 1, "p1", "exp")};
  view v;
  BOOST_REQUIRE(v.apply(*c.full_view()));
  small_cluster asked;
  asked.jobs = {asks(15, 4)};
  const auto rows = asked.full_view();
  std::string why;
  const auto r = run_asked(v, parse_policy(shipped_sched_config()).value, some_day, v.intake().take_asked((*rows).getJobs()[0]), why);
  BOOST_TEST(victims_of(r) == (texts{"16 S", "17 S", "18 S"}), all_equal);
  BOOST_TEST(lines_of(r) == (texts{"15 Received qrun request", "15 Employing preemption to try and run high priority job.",
                                   "18 Simulation: preempting job",
                                   "15 Simulation: not enough work preempted: Insufficient amount of resource: ncpus ",
                                   "17 Simulation: preempting job",
                                   "15 Simulation: not enough work preempted: Insufficient amount of resource: ncpus ",
                                   "16 Simulation: preempting job", "15 Simulation: Preempted enough work to run job",
                                   "16 Job preempted by suspension", "17 Job preempted by suspension", "18 Job preempted by suspension",
                                   "15 Job run", "16 Not enough free nodes available", "17 Not enough free nodes available",
                                   "18 Not enough free nodes available"}),
             all_equal);
}

BOOST_AUTO_TEST_CASE(for_one_that_never_fits_nobody_goes_and_all_counts_as_free) {  // qrun of the policy transcripts
  auto c = with_express();
  c.jobs = {runs(c, 16, 2)};
  view v;
  BOOST_REQUIRE(v.apply(*c.full_view()));
  small_cluster asked;
  asked.jobs = {asks(17, 40)};
  const auto rows = asked.full_view();
  std::string why;
  const auto r = run_asked(v, parse_policy(shipped_sched_config()).value, some_day, v.intake().take_asked((*rows).getJobs()[0]), why);
  BOOST_TEST(r.runs.empty());
  BOOST_TEST(why == "Can Never Run: Insufficient amount of resource: ncpus (R: 40 A: 4 T: 4)");
  BOOST_TEST(lines_of(r).size() == 3u);
}

BOOST_AUTO_TEST_CASE(levels_may_be_joined_and_the_very_set_of_conditions_counts_first) {
  preempt_settings s;
  s.set_levels("express_queue, normal_jobs, express_queue + server_softlimits, server_softlimits");
  BOOST_TEST(s.level_of(express_queue) == 0u);
  BOOST_TEST(s.level_of(0) == 1u);
  BOOST_TEST(s.level_of(express_queue | over_server_limit) == 2u);
  BOOST_TEST(s.level_of(over_server_limit) == 3u);
  BOOST_TEST(s.level_of(over_queue_limit) == 1u);
}

// -- against one that tries everything -----------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(victims_suffice_and_none_is_too_many_and_nobody_waits_in_vain) {
  std::size_t preempted = 0, hopeless = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937_64 d(seed);
      const auto roll = [&](unsigned n) { return static_cast<int>(d() % n); };
      auto c = with_express();
      c.vnodes.clear();
      std::map<std::string, int> size;
      std::map<std::uint64_t, std::pair<std::string, int>> holds;
      for (int h = 0, hosts = 1 + roll(3); h < hosts; ++h) {
        const int cpus = 2 + roll(4);
        c.vnodes.push_back(simple_vnode("p" + std::to_string(h), cpus));
        size[c.vnodes.back().name] = cpus;
      }
      auto free = size;
      for (std::uint64_t serial = 1; serial <= 6; ++serial) {
        const auto on = "p" + std::to_string(roll(static_cast<unsigned>(size.size())));
        if (free[on] == 0) continue;
        const int cpus = 1 + roll(static_cast<unsigned>(free[on]));
        free[on] -= cpus;
        c.jobs.push_back(runs(c, serial, cpus, on));
        holds[serial] = {on, cpus};
      }
      const int chunks = 1 + roll(3), cpus = 1 + roll(4);
      const auto goes_on_at = "p" + std::to_string(roll(static_cast<unsigned>(size.size())));
      const bool goes_on = seed % 4 == 0;
      auto wide = goes_on ? suspended_on(20, cpus, goes_on_at, "exp") : asks(20, 1, "exp");
      if (!goes_on) wide.schedselect = std::to_string(chunks) + ":ncpus=" + std::to_string(cpus);
      c.jobs.push_back(wide);

      const auto fits_without = [&](unsigned gone) {
        auto left = free;
        unsigned bit = 0;
        for (const auto& [serial, held] : holds)
          if (gone & (1u << bit++)) left[held.first] += held.second;
        if (goes_on) return left[goes_on_at] >= cpus;
        int places = 0;
        for (const auto& [name, n] : left) places += n / cpus;
        return places >= chunks;
      };
      const unsigned everybody = (1u << holds.size()) - 1;
      const auto r = cycle_of(c).r;
      BOOST_TEST(r.runs.empty() != fits_without(everybody));
      if (r.runs.empty()) {
        ++hopeless;
        continue;
      }
      unsigned gone = 0;
      for (const auto& v : r.runs[0].victims) gone |= 1u << std::distance(holds.begin(), holds.find(v.job));
      BOOST_TEST(fits_without(gone));
      for (unsigned bit = 0; bit < holds.size(); ++bit)
        if (gone & (1u << bit)) BOOST_TEST(!fits_without(gone & ~(1u << bit)), "one too many");
      preempted += gone != 0;
    }
  }
  BOOST_TEST(preempted > 300u);
  BOOST_TEST(hopeless > 100u);
}
