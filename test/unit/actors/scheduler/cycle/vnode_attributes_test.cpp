// Attributes of vnodes, and parameters of sched_config about vnodes, change what a cycle does.
#include <boost/test/unit_test.hpp>

#include "actors/scheduler/cycle/cycle.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

job_row queued(std::uint64_t serial, const std::string& schedselect, const std::string& queue = "workq") {
  job_row j;
  j.serial = serial;
  j.id = std::to_string(serial) + ".p1";
  j.rank = static_cast<std::int64_t>(serial);
  j.schedselect = schedselect;
  j.queue = queue;
  return j;
}

// The place of each job that runs, then the reason of each that does not.
std::vector<std::string> places(const small_cluster& c, const std::string& sched_config = shipped_sched_config()) {
  view v;
  BOOST_REQUIRE(v.apply(*c.full_view()));
  const auto r = run_cycle(v, parse_policy(sched_config).value, some_day);
  std::vector<std::string> all;
  for (const auto& run : r.runs) all.push_back(run.exec_vnode);
  for (const auto& reason : r.reasons) all.push_back(r.comments[reason.comment]);
  return all;
}

using texts = std::vector<std::string>;
const auto all_equal = boost::test_tools::per_element();

}  // namespace

BOOST_AUTO_TEST_SUITE(vnode_attributes)

BOOST_AUTO_TEST_CASE(limits_of_a_vnode_count_who_runs_there) {
  const auto runs_beside_anna = [](const char* limit, const char* value, const char* user, const char* group) {
    small_cluster c;
    c.vnodes = {simple_vnode("p1", 4)};
    c.vnodes[0].attributes[limit] = value;
    c.vnodes[0].jobs = {{1, false}};
    c.vnodes[0].assigned["ncpus"] = "1";
    auto running = queued(1, "1:ncpus=1");
    running.state = 'R';
    running.exec_vnode = "(p1:ncpus=1)";
    running.exec_host = "p1/0";
    running.euser = "anna";
    running.egroup = "staff";
    auto other = queued(2, "1:ncpus=1");
    other.euser = user;
    other.egroup = group;
    c.jobs = {running, other};
    return places(c) == texts{"(p1:ncpus=1)"};
  };
  BOOST_TEST(!runs_beside_anna("max_running", "1", "bob", "video"));
  BOOST_TEST(runs_beside_anna("max_running", "2", "anna", "staff"));
  BOOST_TEST(!runs_beside_anna("max_user_run", "1", "anna", "video"));
  BOOST_TEST(runs_beside_anna("max_user_run", "1", "bob", "staff"));
  BOOST_TEST(!runs_beside_anna("max_group_run", "1", "bob", "staff"));
  BOOST_TEST(runs_beside_anna("max_group_run", "1", "bob", "video"));
}

BOOST_AUTO_TEST_CASE(a_limit_of_a_vnode_that_keeps_a_job_away_is_named) {
  const auto told = [](small_cluster c, const std::string& select, const std::string& place = "free") {
    auto running = queued(1, "1:ncpus=1");
    running.state = 'R';
    running.exec_vnode = "(p1:ncpus=1)";
    running.exec_host = "p1/0";
    c.vnodes[0].jobs = {{1, false}};
    c.vnodes[0].assigned["ncpus"] = "1";
    auto waits = queued(2, select);
    waits.place = place;
    c.jobs = {running, waits};
    view v;
    BOOST_REQUIRE(v.apply(*c.full_view()));
    const auto r = run_cycle(v, parse_policy(shipped_sched_config()).value, some_day);
    BOOST_REQUIRE_EQUAL(r.reasons.size(), 1u);
    const auto& why = r.whys[r.reasons[0].comment];
    std::string all = r.comments[r.reasons[0].comment] + "|" + why.free + "|" + why.limit + "|" + why.owner + "|" + why.count + "|";
    for (const auto& name : why.vnodes) all += name + " ";
    return all;
  };
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4), simple_vnode("p2", 1)};
  const std::string lacks = "Not Running: Insufficient amount of resource: ", host = lacks + "host ", cpus = lacks + "ncpus ";
  for (const char* limit : {"max_running", "max_user_run", "max_group_run"}) {
    auto limited = c;
    limited.vnodes[0].attributes[limit] = "1";
    BOOST_TEST(told(limited, "1:ncpus=1:host=p1") == host + "||" + limit + "=1|vnode p1|1|p1 ");
    BOOST_TEST(told(limited, "1:ncpus=3") == cpus + "||" + limit + "=1|vnode p1|1|p1 ");
    BOOST_TEST(told(limited, "2:ncpus=1", "scatter").find("|" + std::string(limit) + "=1|vnode p1|1|p1 ") != std::string::npos);
    BOOST_TEST(told(limited, "1:ncpus=4") == cpus + "|3||||p1 ");  // it would not fit there either
  }
  c.vnodes.resize(1);
  c.vnodes[0].attributes["max_running"] = "1";
  BOOST_TEST(told(c, "1:ncpus=1") == "Not Running: No available resources on nodes||max_running=1|vnode p1|1|p1 ");
}

BOOST_AUTO_TEST_CASE(a_vnode_of_a_queue_serves_its_jobs_only_and_they_have_no_other) {
  small_cluster c;
  c.queues = {execution_queue("workq"), execution_queue("q2")};
  c.vnodes = {simple_vnode("p1", 4), simple_vnode("p2", 4)};
  c.vnodes[0].attributes["queue"] = "q2";
  c.jobs = {queued(1, "1:ncpus=1")};
  BOOST_TEST(places(c) == texts{"(p2:ncpus=1)"}, all_equal);
  c.jobs = {queued(1, "1:ncpus=1", "q2")};
  BOOST_TEST(places(c) == texts{"(p1:ncpus=1)"}, all_equal);
  c.jobs = {queued(1, "1:ncpus=1:host=p2", "q2")};
  BOOST_TEST(places(c) == texts{"Can Never Run: Insufficient amount of resource: host (p2 != p1)"}, all_equal);
}

BOOST_AUTO_TEST_CASE(the_vnode_of_the_highest_priority_is_taken_first) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 1), simple_vnode("p2", 1), simple_vnode("p3", 1)};
  c.jobs = {queued(1, "1:ncpus=1"), queued(2, "1:ncpus=1"), queued(3, "1:ncpus=1")};
  BOOST_TEST(places(c) == (texts{"(p1:ncpus=1)", "(p2:ncpus=1)", "(p3:ncpus=1)"}), all_equal);
  c.vnodes[1].attributes["Priority"] = "5";
  c.vnodes[2].attributes["Priority"] = "10";
  BOOST_TEST(places(c) == (texts{"(p3:ncpus=1)", "(p2:ncpus=1)", "(p1:ncpus=1)"}), all_equal);
}

BOOST_AUTO_TEST_CASE(node_sort_key_orders_vnodes) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 2), simple_vnode("p2", 4), simple_vnode("p3", 1)};
  c.jobs = {queued(1, "1:ncpus=1")};
  const std::string resources = "resources: \"ncpus, host, vnode\"\n";
  BOOST_TEST(places(c, resources) == texts{"(p1:ncpus=1)"}, all_equal);
  BOOST_TEST(places(c, resources + "node_sort_key: \"ncpus HIGH\" ALL\n") == texts{"(p2:ncpus=1)"}, all_equal);
  BOOST_TEST(places(c, resources + "node_sort_key: \"ncpus LOW\" ALL\n") == texts{"(p3:ncpus=1)"}, all_equal);
}

BOOST_AUTO_TEST_CASE(what_the_resources_line_does_not_have_is_not_compared) {
  small_cluster c;
  c.vnodes = {simple_vnode("p1", 4)};  // with 8gb
  c.jobs = {queued(1, "1:ncpus=1:mem=9gb")};
  const auto runs = [&](const std::string& resources) { return places(c, "resources: \"" + resources + "\"\n").at(0).starts_with("(p1:"); };
  BOOST_TEST(!runs("ncpus, mem"));
  BOOST_TEST(runs("ncpus"));
}

BOOST_AUTO_TEST_SUITE_END()
