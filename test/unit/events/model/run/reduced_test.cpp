// A run that goes on with less: what hooks before the program release, and the hosts that are dropped by that.
#include <boost/test/unit_test.hpp>

#include "events/model/run/order_now.hpp"
#include "events/model/vnodes/reduce.hpp"
#include "test/unit/events/model/run/run_story.hpp"

using namespace annals;
using namespace annals::test;
using model::sister_phase;

namespace {

// Every host has joined, and this one is about to start the program.
run_story given_starting(const std::string& tolerant = "all") {
  run_story s;
  s.when(model::take_order{order({{"tolerate_node_failures", "", tolerant}}, {"n2", "n3"})});
  s.when(model::sister_joined{"n2"});
  s.when(model::sister_joined{"n3"});
  s.when(model::joins_over{false});
  return s;
}
run_story given_launching() {
  run_story s;
  s.when(model::take_order{order({{"tolerate_node_failures", "", "job_start"}}, {"n2", "n3"})});
  s.when(model::sister_joined{"n2"});
  s.when(model::sister_joined{"n3"});
  s.when(model::joins_over{true});
  return s;
}
model::hooks_done but_with(auto&& change) {
  auto c = reducing();
  change(*c.reduced);
  return c;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reduced_runs)

// RS-88, RS-35
BOOST_AUTO_TEST_CASE(a_run_goes_on_with_what_hooks_have_left_it) {
  for (const char* value : {"all", "job_start"}) {
    auto s = given_starting(value);
    s.pass(7);
    BOOST_TEST(s.when(reducing()) == "allocationReduced");
    BOOST_TEST(s.run.allocated.exec_vnode() == "(n1:ncpus=1)+(n2:ncpus=2)");
    BOOST_TEST(s.run.allocated.exec_host() == "n1/0+n2/0*2");
    BOOST_TEST(s.run.allocated.select() == "ncpus=1+ncpus=2");
    BOOST_TEST(s.run.allocated.chunk_of_select(1) == 1u);
    BOOST_TEST(s.run.reductions == 1u);
    BOOST_TEST((s.run.changes == reducing().reduced->changes));
    BOOST_TEST(s.run.sister("n3")->dropped_since_ns == s.now_ns);
    BOOST_TEST(!s.run.sister("n2")->dropped());
    BOOST_TEST(s.when(reducing()) == "");  // once more, after a restart
    s.when(model::program_began{{100, 100, 5, "/home/user1"}});
    BOOST_TEST((s.run.numbered == s.run.allocated));
  }
}

// RS-35
BOOST_AUTO_TEST_CASE(what_the_rule_says_becomes_the_change) {
  auto s = given_starting();
  const auto keep = values::parse_select("ncpus=1+ncpus=2:mpiprocs=2");
  const auto reduction = model::reduce(s.run.allocated, *keep, {{"n2"}, {}});
  BOOST_REQUIRE(reduction);
  const model::shown_request before{
      {{"ncpus", "5"}, {"nodect", "3"}, {"place", "free"}, {"gpus", "4"}, {"select", "1:ncpus=1:gpus=4+2:ncpus=2"}},
      "1:ncpus=1:gpus=4+2:ncpus=2"};
  const auto change = model::change_of(*reduction, {0, 1}, before, *keep, {}, "execjob_launch");
  BOOST_TEST((change.changes == std::vector<model::shown_value>{{"Resource_List", "gpus", std::nullopt},
                                                                {"Resource_List", "mpiprocs", "2"},
                                                                {"Resource_List", "ncpus", "3"},
                                                                {"Resource_List", "nodect", "2"},
                                                                {"Resource_List", "select", "1:ncpus=1+1:ncpus=2:mpiprocs=2"},
                                                                {"schedselect", "", "1:ncpus=1+1:ncpus=2:mpiprocs=2"}}));
  BOOST_TEST(s.when(model::hooks_done{{}, std::nullopt, {change}}) == "allocationReduced");
  BOOST_TEST(s.run.allocated.exec_vnode() == "(n1:ncpus=1)+(n3:ncpus=2)");
  BOOST_TEST(s.run.allocated.chunk_of_select(1) == 1u);
  BOOST_TEST(s.run.sister("n2")->dropped());
}

BOOST_AUTO_TEST_CASE(hooks_of_execjob_prologue_may_reduce_it_too) {
  auto s = given_launching();
  s.when(model::prologue_over{"n2", 0, {}});
  BOOST_TEST(s.when(reducing("execjob_prologue")) == "allocationReduced programStarting");  // n3 is waited for no more
  BOOST_TEST(s.when(model::prologue_over{"n3", 15169, "no"}) == "");
  auto waits = given_launching();
  BOOST_TEST(waits.when(reducing("execjob_prologue")) == "allocationReduced");
  BOOST_TEST(owed(waits.run) == "say-steps, prologue, ask-prologue n2, keep n2, update n2, release n3");
  BOOST_TEST(waits.rings(model::run_timer::launch_delay) == "launchWaitEnded sisterFailed programStarting");
  BOOST_TEST((waits.run.sister("n2")->phase == sister_phase::failed && waits.run.sister("n3")->phase == sister_phase::joined));
}

BOOST_AUTO_TEST_CASE(what_hooks_ran_stands_before_what_they_left) {
  auto s = given_starting();
  auto c = reducing();
  c.runs.push_back(schema::make<schema::HookRun>([](auto h) { h.setEvent("execjob_launch"); }));
  BOOST_TEST(s.when(c) == "hookRan allocationReduced");
  auto refused = given_starting();
  c.refused = ports::start_failed{-16, "a hook says no"};
  BOOST_TEST(refused.when(c) == "hookRan refused");
}

BOOST_AUTO_TEST_CASE(a_reduction_that_does_not_follow_is_dropped) {
  for (const char* value : {"none", ""}) BOOST_TEST(given_starting(value).when(reducing()) == "");
  auto s = given_starting();
  BOOST_TEST(s.when(but_with([](auto& c) { c.released = ""; })) == "");
  BOOST_TEST(s.when(but_with([](auto& c) { c.released = "(n3:ncpus=1)"; })) == "");
  BOOST_TEST(s.when(but_with([](auto& c) { c.exec_host = "n1/0+n2/1*2"; })) == "");
  BOOST_TEST(s.when(but_with([](auto& c) { c.satisfies = {0}; })) == "");
  BOOST_TEST(s.when(but_with([](auto& c) {
    c.released = "(n1:ncpus=1)";
    c.exec_vnode = "(n2:ncpus=2)+(n3:ncpus=2)";
    c.exec_host = "n2/0*2+n3/0*2";
  })) == "");
  BOOST_TEST(s.run.reductions == 0u);
  run_story early;  // a host is being asked with what the ticket says
  early.when(model::take_order{order({{"tolerate_node_failures", "", "all"}}, {"n2", "n3"})});
  early.when(model::sister_joined{"n2"});
  BOOST_TEST(early.when(reducing()) == "");
  run_story waits;  // for files: nobody was asked yet
  waits.when(model::take_order{order({{"tolerate_node_failures", "", "all"}, {"stagein", "", "a@n1:b"}}, {"n2", "n3"})});
  BOOST_TEST(waits.when(reducing()) == "");
  auto late = given_starting();
  late.when(model::program_began{{100, 100, 5, "/home/user1"}});
  BOOST_TEST(late.when(reducing()) == "");
}

BOOST_AUTO_TEST_CASE(a_run_that_is_not_to_start_any_more_is_not_reduced) {
  auto s = given_starting("all");
  s.when(kill(1));
  BOOST_TEST(s.when(reducing()) == "");
}

BOOST_AUTO_TEST_CASE(the_order_says_what_the_job_shows_since_then) {
  run_story s;
  BOOST_TEST(!model::order_now(s.run));
  s.when(model::take_order{order({{"tolerate_node_failures", "", "all"},
                                  {"Resource_List", "ncpus", "5"},
                                  {"Resource_List", "mpiprocs", "4"},
                                  {"Resource_List", "walltime", "60"},
                                  {"schedselect", "", "1:ncpus=1+2:ncpus=2"}},
                                 {"n2", "n3"})});
  s.when(model::sister_joined{"n2"});
  s.when(model::sister_joined{"n3"});
  s.when(model::joins_over{false});
  BOOST_TEST(!model::order_now(s.run));
  s.when(reducing());
  const auto now = model::order_now(s.run);
  std::string shown;
  for (auto a : now.get().getStartRun().getAttributes())
    shown += schema::str(a.getName()) + "." + schema::str(a.getResource()) + "=" + schema::str(a.getValue()) + " ";
  BOOST_TEST(shown == "tolerate_node_failures.=all Resource_List.walltime=60 Resource_List.ncpus=3 schedselect.=1:ncpus=1+1:ncpus=2 ");
  BOOST_TEST(now.get().getStartRun().getSisters().size() == 2u);
}

BOOST_AUTO_TEST_CASE(the_order_says_what_hooks_made_of_it) {
  run_story s;
  s.when(model::take_order{order({{"Variable_List", "", "A=1"}, {"schedselect", "", "1:ncpus=1"}}, {"n2"})});
  const auto now = model::order_now(s.run, {{"Variable_List", "", "B=2"}});
  const auto by_itself = model::order_with(s.run.order.get().getStartRun(), {{"Variable_List", "", "B=2"}});
  for (const auto order : {now.get().getStartRun(), by_itself.get()}) {
    std::string shown;
    for (auto a : order.getAttributes()) shown += schema::str(a.getName()) + "=" + schema::str(a.getValue()) + " ";
    BOOST_TEST(shown == "schedselect=1:ncpus=1 Variable_List=B=2 ");
    BOOST_TEST(order.getSisters().size() == 1u);
  }
}

BOOST_AUTO_TEST_CASE(chunks_are_told_in_the_order_in_which_the_run_has_them) {
  model::allocation has("(q1:ncpus=1)+(q2:ncpus=2)+(q3:ncpus=1)+(q1)", "q1/0+q2/0*2+q3/0+q1/1*0", {"q1", "q2", "q3"}, "exclhost");
  has.renumber({0, 2, 1, model::allocation::no_chunk}, "ncpus=1:mpiprocs=2+2:ncpus=2");
  const auto select = values::parse_select(has.select());
  BOOST_REQUIRE(select);
  BOOST_TEST(values::print_with_counts(model::select_by_chunk(has, *select)) ==
             "1:ncpus=1:mpiprocs=2+1:ncpus=2+1:ncpus=2+1:ncpus=0");
  BOOST_TEST(model::select_by_chunk({}, *select).chunks.empty());
}

BOOST_AUTO_TEST_CASE(a_run_may_be_reduced_again) {
  auto s = given_starting();
  s.when(reducing());
  auto again = but_with([](auto& c) {
    c.released = "(n2:ncpus=2)";
    c.exec_vnode = "(n1:ncpus=1)";
    c.exec_host = "n1/0";
    c.satisfies = {0};
    c.keep_select = "ncpus=1";
    c.changes = {{"Resource_List", "ncpus", "1"}};
  });
  BOOST_TEST(s.when(again) == "allocationReduced");
  BOOST_TEST(s.run.reductions == 2u);
  BOOST_TEST(s.run.changes.size() == 3u);
  BOOST_TEST(*s.run.changes.back().value == "1");
  BOOST_TEST(s.run.allocated.select() == "ncpus=1");
  BOOST_TEST(owed(s.run) == "say-steps, start, release n2, release n3");
}

// RS-89
BOOST_AUTO_TEST_CASE(a_host_that_is_dropped_is_asked_to_leave_at_once_and_the_run_goes_on) {
  auto s = given_starting("job_start");
  s.when(reducing());
  BOOST_TEST(owed(s.run) == "say-steps, start, keep n2, update n2, release n3");
  auto early = s;
  BOOST_TEST(early.when(model::sister_left{{"n3", {}, 1}}) == "sisterLeft");
  BOOST_TEST(owed(early.run) == "say-steps, start, keep n2, update n2");
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  BOOST_TEST(!s.ask(model::ask_task{"n3", "n1", 2, {"x"}, {}}).accepted());
  BOOST_TEST(s.ask(model::ask_task{"n2", "n1", 1, {"x"}, {}}).accepted());
  auto refuses = s;
  BOOST_TEST(refuses.when(model::sister_refused{"n3", 15058, "no"}) == "sisterLeft");
  BOOST_TEST(s.when(model::sister_left{{"n3", model::measured_usage({.cpu_seconds = 9}), 1}}) == "sisterLeft");
  BOOST_TEST(s.when(model::sister_left{{"n3", {}, 1}}) == "");
  BOOST_TEST(s.run.sister("n3")->usage.usage.seconds("cput") == 9u);
  BOOST_TEST(s.run.kill_signal == "");
  BOOST_TEST(!s.run.sister("n3")->abandoned);
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(owed(s.run) == "say-steps, release n2");
  BOOST_TEST(s.when(model::sister_left{{"n2", {}, 1}}) == "sisterLeft");
  BOOST_TEST(s.run.all_left());
}

BOOST_AUTO_TEST_CASE(a_host_that_is_dropped_and_silent_is_given_up_while_the_run_goes_on) {
  for (const char* value : {"all", "job_start"}) {
    auto s = given_starting(value);
    s.when(reducing());
    s.when(model::program_began{{100, 100, 5, "/home/user1"}});
    const auto before = s.now_ns;
    BOOST_TEST(s.loses({"n3", {}, 0}) == "sisterLeft");
    BOOST_TEST(s.now_ns - before == 10'000'000'000);
    BOOST_TEST(s.run.sister("n3")->abandoned);
    BOOST_TEST(s.run.kill_signal == "");
    BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n2, update n2");
  }
}

BOOST_AUTO_TEST_CASE(a_host_that_is_dropped_and_not_rid_of_the_job_is_given_up) {
  auto s = given_starting();
  s.when(reducing());
  const auto since = s.now_ns;
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  s.pass(5);
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.timer(model::run_timer::leave_wait, "n3")->since_ns == since);  // it was asked when it was dropped
  BOOST_TEST(s.timer(model::run_timer::leave_wait, "n2")->since_ns == s.now_ns);
  BOOST_TEST(s.rings(model::run_timer::leave_wait, {"n3", {}, 0}) == "sisterLeft");
  BOOST_TEST(s.run.sister("n3")->abandoned);
}

BOOST_AUTO_TEST_CASE(a_host_that_has_failed_is_asked_to_leave_when_it_is_dropped) {
  auto s = given_starting();
  s.loses({"n3", {}, 0});
  BOOST_TEST((s.run.sister("n3")->phase == sister_phase::failed));
  BOOST_TEST(s.when(reducing()) == "allocationReduced");
  BOOST_TEST(owed(s.run) == "say-steps, start, keep n2, update n2, release n3");
  BOOST_TEST(s.rings(model::run_timer::sister_silence, {"n3", {}, 0}) == "sisterLeft");
}

BOOST_AUTO_TEST_CASE(a_kill_goes_to_a_host_that_is_dropped_and_not_out_yet) {
  auto s = given_starting();
  s.when(reducing());
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  s.when(kill(1));
  s.when(model::kill_sent{1, "SIGTERM"});
  BOOST_TEST(owed(s.run) ==
             "say-steps, watch, say-started, keep n2, update n2, release n3, kill-on n2 SIGTERM, kill-on n3 SIGTERM");
}

BOOST_AUTO_TEST_CASE(a_run_that_does_not_start_after_all_waits_for_every_host) {
  auto s = given_starting();
  s.when(reducing());
  s.when(model::program_failed{{-3, "no home"}});
  BOOST_TEST(owed(s.run) == "say-steps, release n2, release n3");
  s.when(model::sister_left{{"n3", {}, 1}});
  s.when(model::sister_left{{"n2", {}, 1}});
  BOOST_TEST(owed(s.run) == "say-steps, say-refused");
}

BOOST_AUTO_TEST_SUITE_END()
