// A run that is told to go on with less while its program runs (pbs_release_nodes): RD-42, RD-16, RD-18, RD-22, RD-26.
#include <boost/test/unit_test.hpp>

#include "test/unit/events/model/run/run_story.hpp"

using namespace annals;
using namespace annals::test;
using model::sister_phase;

namespace {

run_story given_started(const std::string& tolerant = "none") {
  run_story s;
  s.when(model::take_order{order({{"tolerate_node_failures", "", tolerant}}, {"n2", "n3"})});
  s.when(model::sister_joined{"n2"});
  s.when(model::sister_joined{"n3"});
  s.when(model::joins_over{false});
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  return s;
}

model::tell_order without_n3(std::uint64_t id) {
  return {schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto t = m.initTellRun();
    t.initRef().setJob("12.borg");
    t.initRequest().setId(id);
    auto r = t.getRequest().initRelease();
    r.setReleased("(n3:ncpus=2)");
    r.setExecVnode("(n1:ncpus=1)+(n2:ncpus=2)");
    r.setExecHost("n1/0+n2/0*2");
    r.initSatisfies(2).set(1, 1);
    r.setKeepSelect("1:ncpus=1+1:ncpus=2");
    r.setBy("pbs_release_nodes");
  })};
}

template <class Effect>
int owed(const run_story& s) {
  int n = 0;
  for (const auto& e : model::pending_effects(s.run, {})) n += std::holds_alternative<Effect>(e);
  return n;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ramp_down)

BOOST_AUTO_TEST_CASE(it_goes_on_with_what_the_server_says) {
  for (const char* tolerant : {"none", "all"}) {
    auto s = given_started(tolerant);
    BOOST_TEST(s.when(without_n3(1)) == "requestReceived");
    BOOST_TEST(owed<model::carry_out>(s) == 1);
    BOOST_TEST(s.run.allocated.is_on("n3"));
    s.pass(3);
    BOOST_TEST(s.when(model::request_carried_out{1}) == "allocationReduced requestDone");
    BOOST_TEST(s.run.allocated.exec_vnode() == "(n1:ncpus=1)+(n2:ncpus=2)");
    BOOST_TEST((s.run.numbered == s.run.allocated));
    BOOST_TEST(s.run.sister("n3")->dropped_since_ns == s.now_ns);
    BOOST_TEST(owed<model::release_sister>(s) == 1);
    BOOST_TEST(owed<model::update_sister>(s) == 1);
    BOOST_TEST(owed<model::write_node_file>(s) == 1);
    BOOST_TEST(owed<model::report_requests>(s) == 1);
    BOOST_TEST(owed<model::report_steps>(s) == 1);
    BOOST_TEST(s.when(without_n3(1)) == "");  // the server asks again
    BOOST_TEST(s.when(model::request_carried_out{1}) == "");
  }
}

BOOST_AUTO_TEST_CASE(what_is_asked_is_done_one_after_the_other) {
  auto s = given_started();
  s.when(tell(1));
  s.when(without_n3(2));  // when this is done the signal before it counts as done
  BOOST_TEST(owed<model::carry_out>(s) == 1);
  s.when(model::request_carried_out{1});
  BOOST_TEST(s.run.allocated.is_on("n3"));
  BOOST_TEST(owed<model::carry_out>(s) == 1);
  BOOST_TEST(s.when(model::request_carried_out{2}) == "allocationReduced requestDone");
  BOOST_TEST(owed<model::carry_out>(s) == 0);
}

BOOST_AUTO_TEST_CASE(tasks_of_a_host_end_when_it_has_left) {
  auto s = given_started();
  s.when(model::ask_task{"n3", "n1", 2, {"sleep"}, {}});
  s.when(model::task_told{2, "n3", model::task_told::state::running, 0, {}});
  s.when(without_n3(1));
  s.when(model::request_carried_out{1});
  BOOST_TEST(s.when(model::ask_task{"n3", "n1", 2, {"sleep"}, {}}).starts_with("15"));
  const auto usage = model::measured_usage({.cpu_seconds = 7});
  BOOST_TEST(s.when(model::sister_left{{"n3", usage, 5}}) == "sisterLeft taskSettled");
  BOOST_TEST(s.run.tasks.at(2).over);
  // What it used counts for good.
  const auto hosts = s.run.usage_by_host({"n1", model::measured_usage({.cpu_seconds = 1}), 9}, {});
  BOOST_REQUIRE(hosts.size() == 3u);
  BOOST_TEST(hosts.back().usage.seconds("cput") == 7u);
}

BOOST_AUTO_TEST_CASE(a_host_that_does_not_leave_ends_no_job) {
  auto s = given_started();
  s.when(without_n3(1));
  s.when(model::request_carried_out{1});
  BOOST_TEST(s.loses({"n3", {}, 0}) == "sisterLeft");
  BOOST_TEST(s.run.sister("n3")->abandoned);
  BOOST_TEST(s.run.kill_signal.empty());
}

BOOST_AUTO_TEST_CASE(a_run_that_ended_before_is_not_reduced) {
  auto s = given_started();
  s.when(without_n3(1));
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.when(model::request_carried_out{1}) == "");
  BOOST_TEST(s.run.allocated.is_on("n3"));
}

BOOST_AUTO_TEST_SUITE_END()
