// Which vnodes a job gets that asks for an environment, and why it gets none (docs/design/0052-provisioning.md).
#include <boost/test/unit_test.hpp>

#include "actors/scheduler/cycle/cycle.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

struct environments {
  small_cluster c;
  std::string sched_config;

  environments() {
    c.server["provision_enable"] = "True";
    add("p1", "rhel");
    add("p2", "suse");
    job_row j;
    j.schedselect = "1:ncpus=1:aoe=suse";
    c.jobs = {j};
  }
  vnode_row& add(const std::string& name, const std::string& current) {
    auto v = simple_vnode(name, 2);
    v.available["aoe"] = "rhel,suse";
    v.attributes["current_aoe"] = current;
    v.attributes["provision_enable"] = "True";
    c.vnodes.push_back(v);
    return c.vnodes.back();
  }
  // Where it runs, or why it does not.
  std::string place() {
    view v;
    BOOST_REQUIRE(v.apply(*c.full_view()));
    const auto r = run_cycle(v, parse_policy(shipped_sched_config() + sched_config).value, some_day);
    if (!r.runs.empty()) return r.runs[0].exec_vnode;
    return r.reasons.empty() ? "" : std::string(r.comments[r.reasons[0].comment]);
  }
  std::string without_p2() {
    c.vnodes.resize(1);
    return place();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(provisioning, environments)

BOOST_AUTO_TEST_CASE(aggressive_provision_takes_vnodes_in_their_order) { BOOST_TEST(place() == "(p1:ncpus=1:aoe=suse)"); }

BOOST_AUTO_TEST_CASE(avoid_provision_takes_those_that_have_it) {
  sched_config = "\nprovision_policy: \"avoid_provision\"\n";
  BOOST_TEST(place() == "(p2:ncpus=1)");
  BOOST_TEST(without_p2() == "(p1:ncpus=1:aoe=suse)");
}

BOOST_AUTO_TEST_CASE(each_reason_is_told) {
  c.server.clear();
  BOOST_TEST(without_p2() == "Not Running: Cannot provision, provisioning disabled on server");
  c.server["provision_enable"] = "True";
  c.vnodes[0].attributes["provision_enable"] = "False";
  BOOST_TEST(place() == "Not Running: Cannot provision, provisioning disabled on vnode");
  c.vnodes[0].attributes["provision_enable"] = "True";
  c.vnodes[0].jobs = {{7, false}};
  BOOST_TEST(place() == "Not Running: Provision conflict with existing job/reservation");
  c.vnodes[0].jobs.clear();
  add("p1[0]", "rhel").host = "p1";
  BOOST_TEST(place() == "Not Running: Cannot provision, host has multiple vnodes");
}

BOOST_AUTO_TEST_CASE(a_vnode_that_is_provisioned_is_one_jobs_alone) {
  c.vnodes.resize(1);
  c.jobs.push_back(c.jobs[0]);
  c.jobs[1].serial = 2;
  c.jobs[1].id = "2.p1";
  c.jobs[1].rank = 2;
  view v;
  BOOST_REQUIRE(v.apply(*c.full_view()));
  BOOST_TEST(run_cycle(v, parse_policy(shipped_sched_config()).value, some_day).runs.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
