// A run on a MoM: its table exhausted, its commands, and what it owes.
#include <boost/test/unit_test.hpp>

#include <capnp/dynamic.h>

#include <set>

#include "events/model/run/order_now.hpp"
#include "test/support/must_stop.hpp"
#include "test/unit/events/model/run/run_story.hpp"

using namespace annals;
using namespace annals::test;
using which = schema::RunEvent::Which;

namespace {

model::event bare_event(which w) {
  return model::make_event([&](schema::Event::Builder e) { fill_bare(e.initRun(), static_cast<std::uint16_t>(w)); });
}

model::hooks_done hooks_of(const char* event, std::optional<ports::start_failed> refused = {}) {
  return {{schema::make<schema::HookRun>([&](schema::HookRun::Builder r) {
            r.setHook("h");
            r.setEvent(event);
          })},
          refused};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(runs)

BOOST_AUTO_TEST_CASE(a_run_has_what_its_order_says) {
  auto s = given_asked();
  BOOST_TEST(s.run.allocated.exec_vnode() == "(n1:ncpus=1)+(n2:ncpus=2)+(n3:ncpus=2)");
  BOOST_TEST(s.run.allocated.exec_host() == "n1/0+n2/0*2+n3/0*2");
  BOOST_TEST(s.run.allocated.hosts() == (std::vector<std::string>{"n1", "n2", "n3"}), boost::test_tools::per_element());
  BOOST_TEST(given_run(run_phase::received).run.allocated.empty());  // killed before its order came
}

// What is let go before the program starts counts for the numbers of nodes; what is let go later does not.
BOOST_AUTO_TEST_CASE(the_start_of_the_program_numbers_the_nodes) {
  auto s = given_all_starting();
  BOOST_REQUIRE(s.run.allocated.release("(n2:ncpus=2)"));
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  BOOST_REQUIRE(s.run.allocated.release("(n3:ncpus=2)"));
  BOOST_TEST(s.run.numbered.exec_host() == "n1/0+n3/0*2");
  BOOST_TEST(s.run.allocated.exec_host() == "n1/0");
}

BOOST_AUTO_TEST_CASE(every_event_of_a_run_has_a_row) {
  for (int w = 0; w < count_of<schema::RunEvent>(); ++w)
    BOOST_TEST(has_row(model::run_transitions(), static_cast<which>(w)),
               "no row of run_transitions() has " << name_of(static_cast<which>(w)));
}

BOOST_AUTO_TEST_CASE(what_the_table_lists_happens_and_nothing_else_does) {
  for (auto from : every_phase) {
    const auto story = given_run(from);
    BOOST_TEST_REQUIRE((story.run.phase == from));
    for (int w = 0; w < count_of<schema::RunEvent>(); ++w) {
      std::set<run_phase> to;
      for (const auto& row : model::run_transitions())
        if (row.from == from && row.event == static_cast<which>(w)) to.insert(row.to);
      BOOST_TEST(model::may_happen(from, static_cast<which>(w)) == !to.empty());
      const auto e = bare_event(static_cast<which>(w));
      if (to.empty()) {
        BOOST_TEST(stops_the_process([&] { run_story(story).happens(e); }));
      } else if (static_cast<which>(w) != which::ALLOCATION_REDUCED) {  // it must follow from what the run has: reduced_test.cpp
        auto then = story;
        then.happens(e);
        BOOST_TEST(to.contains(then.run.phase));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(no_two_commands_lead_to_an_event_that_its_phase_does_not_list) {
  for (auto phase : every_phase)
    for (const auto& first : every_command())
      for (const auto& second : every_command()) {
        auto story = given_run(phase);
        for (const auto* command : {&first, &second}) {
          const auto o = story.ask(*command);
          for (const auto& e : o.events()) {
            BOOST_TEST_REQUIRE(model::may_happen(story.run.phase, e.get().getRun().which()));
            story.happens(e);
          }
        }
      }
}

BOOST_AUTO_TEST_CASE(a_run_goes_from_its_order_to_the_last_acknowledgement) {
  run_story s;
  BOOST_TEST(s.when(model::take_order{order()}) == "received programStarting");
  BOOST_TEST(s.when(model::take_order{order()}) == "");
  BOOST_TEST(print(s.run.key()) == "12.borg.1");
  BOOST_TEST(s.when(model::program_began{{100, 101, 5, "/home/user1"}}) == "programStarted");
  BOOST_TEST(s.run.session == 101);
  BOOST_TEST(s.when(model::program_over{
                 {3, {.cpu_seconds = 1, .mem_kb = 2, .vmem_kb = 3, .wall_seconds = 4, .ncpus = 1, .cpu_percent = 6}}}) == "programEnded");
  BOOST_TEST(s.run.exit_status == 3);
  BOOST_TEST(s.run.usage.kb("mem") == 2u);
  BOOST_TEST(s.when(model::acknowledged{schema::Ack::What::RUN_EXITED}) == "");
  BOOST_TEST(s.when(model::output_placed{{.ok = false, .text = "no such host"}}) == "outputPlaced");
  BOOST_TEST(!s.run.delivered);
  BOOST_TEST(s.when(model::acknowledged{schema::Ack::What::RUN_LEFT}) == "left");
}

BOOST_AUTO_TEST_CASE(a_run_killed_before_its_order_came_is_never_started) {
  run_story s;
  BOOST_TEST(s.when(kill(1)) == "received refused");
  BOOST_TEST(s.run.exit_status == 271);
  BOOST_TEST(s.when(model::take_order{order()}) == "");
  BOOST_TEST(owed(s.run) == "say-refused");
}

BOOST_AUTO_TEST_CASE(a_run_killed_while_its_launch_hooks_run_is_not_started) {  // RS-15, RS-130
  auto s = given_run(run_phase::starting);
  BOOST_TEST(s.when(model::start_stopped{}) == "");  // nobody wants it killed
  BOOST_TEST(s.when(kill(1)) == "killRequested");
  BOOST_TEST(s.when(model::start_stopped{}) == "refused");
  BOOST_TEST(s.run.exit_status == 271);
  BOOST_TEST(owed(s.run) == "say-refused");
  auto given_up = given_run(run_phase::starting);
  given_up.when(discard());
  BOOST_TEST(given_up.when(model::start_stopped{}) == "refused left");
  auto started = given_run(run_phase::started);  // an earlier life of its MoM was faster
  started.when(kill(1));
  BOOST_TEST(started.when(model::start_stopped{}) == "");
}

BOOST_AUTO_TEST_CASE(a_stronger_request_to_kill_is_taken_and_a_weaker_one_is_not) {
  auto s = given_run(run_phase::started);
  BOOST_TEST(s.when(kill(1)) == "killRequested");
  BOOST_TEST(s.when(kill(1)) == "");
  BOOST_TEST(s.when(kill(2, "SIGKILL", 265)) == "killRequested");
  BOOST_TEST(s.when(kill(1)) == "");
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.run.exit_status == 265);  // as the server wanted it reported
}

BOOST_AUTO_TEST_CASE(a_limit_ends_the_run_with_its_own_status_unless_the_server_was_first) {
  auto s = given_run(run_phase::started);
  BOOST_TEST(s.when(model::limit_met{-29, "walltime 10 exceeded limit 3", 10}) == "killRequested");
  BOOST_TEST(s.when(model::limit_met{-29, "walltime 11 exceeded limit 3", 10}) == "");
  BOOST_REQUIRE(s.run.steps.size() == 1u);  // the server hears why
  BOOST_TEST(schema::text(s.run.steps[0].get().getStep().getKillRequested().getWhy()) == "walltime 10 exceeded limit 3");
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.run.exit_status == -29);
  auto killed = given_run(run_phase::started);
  killed.when(kill(1));
  BOOST_TEST(killed.when(model::limit_met{-29, "walltime", 10}) == "");
  BOOST_TEST(killed.run.steps.empty());
}

BOOST_AUTO_TEST_CASE(the_server_hears_why_the_kernel_killed_processes_of_the_program) {
  auto s = given_run(run_phase::started);
  BOOST_TEST(s.when(model::program_over{{137, {}, "Cgroup mem limit exceeded"}}) == "taskSettled programEnded");
  BOOST_TEST(s.run.exit_status == 137);
  BOOST_TEST(s.run.tasks.empty());
  BOOST_REQUIRE(s.run.steps.size() == 1u);
  const auto told = s.run.steps[0].get().getStep().getTaskSettled();
  BOOST_TEST(told.getExitStatus() == 137);
  BOOST_TEST(schema::text(told.getText()) == "Cgroup mem limit exceeded");
}

// A power loss took what the host had noted of it: nobody knows how it ended.
BOOST_AUTO_TEST_CASE(a_started_program_that_its_host_knows_nothing_of_has_an_unknown_end) {
  auto s = given_run(run_phase::started);
  BOOST_TEST(s.when(model::program_failed{{-3, "the program was never begun"}}) == "programEnded");
  BOOST_TEST(s.run.exit_status == -4);
  BOOST_TEST(s.when(model::program_failed{{-3, "the program was never begun"}}) == "");
}

BOOST_AUTO_TEST_CASE(a_discarded_run_is_killed_and_leaves_without_a_word) {
  auto s = given_run(run_phase::started);
  BOOST_TEST(s.when(discard()) == "discarded");
  BOOST_TEST(s.when(discard()) == "");
  BOOST_TEST(owed(s.run) == "watch, kill-discarded");
  BOOST_TEST(s.when(model::program_over{{9, {}}}) == "programEnded left");
  BOOST_TEST(owed(s.run) == "clean");
  auto starting = given_run(run_phase::starting);
  BOOST_TEST(starting.when(discard()) == "discarded");
  BOOST_TEST(starting.when(model::program_failed{{-3, ""}}) == "refused left");
  BOOST_TEST(given_run(run_phase::placed).when(discard()) == "left");
}

// A hook may have refused a kill of any strength before: this one is another debt, of which no hook is asked.
BOOST_AUTO_TEST_CASE(a_discarded_run_is_killed_whatever_asked_for_its_kill_before) {
  auto s = given_run(run_phase::started);
  s.when(kill(2, "SIGKILL", 265));
  BOOST_TEST(owed(s.run) == "watch, say-started, kill SIGKILL");
  s.when(discard());
  BOOST_TEST(owed(s.run) == "watch, kill-discarded");
}

BOOST_AUTO_TEST_CASE(a_request_is_carried_out_once_and_told_again_until_the_run_ends) {
  auto s = given_run(run_phase::starting);
  BOOST_TEST(s.when(tell(1)) == "requestReceived");
  BOOST_TEST(owed(s.run) == "start");  // it waits for the program
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  BOOST_TEST(owed(s.run) == "watch, say-started, do USR1");
  BOOST_TEST(s.when(tell(1, "USR2")) == "");  // a repeat
  BOOST_TEST(s.when(tell(2, "HUP")) == "requestReceived");
  BOOST_TEST(s.when(model::request_carried_out{1}) == "requestDone");
  BOOST_TEST(owed(s.run) == "watch, say-started, do HUP, say-done 1");
  BOOST_TEST(s.when(model::request_carried_out{2}) == "requestDone");
  BOOST_TEST(s.when(model::request_carried_out{2}) == "");
  BOOST_TEST(s.when(tell(2, "HUP")) == "");
  BOOST_TEST(owed(s.run) == "watch, say-started, say-done 2");
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.when(tell(3)) == "");
}

BOOST_AUTO_TEST_CASE(what_qalter_changes_counts_when_it_was_taken) {
  const auto altered = [](std::uint64_t id, const given_values& s) {
    return model::tell_order{schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
      auto t = m.initTellRun();
      t.initRef().setJob("12.borg");
      t.initRequest().setId(id);
      fill(t.getRequest().initAltered(static_cast<unsigned>(s.size())), s);
    })};
  };
  run_story s;
  s.when(model::take_order{order({{"Output_Path", "", "borg:/a"}, {"Resource_List", "walltime", "00:00:10"}})});
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  const auto ordered = [&](const std::string& name) {
    const auto now = model::order_now(s.run);
    for (auto a : (now ? now : s.run.order).get().getStartRun().getAttributes())
      if (schema::text(a.getName()) == name) return schema::str(a.getValue());
    return std::string();
  };
  model::usage_set long_ago;
  long_ago.set("walltime", "00:00:20");
  const auto is_over = [&] {
    const auto now = model::order_now(s.run);
    return model::exceeded_limit((now ? now : s.run.order).get().getStartRun(), long_ago, false).has_value();
  };
  BOOST_TEST(is_over());
  BOOST_TEST(s.when(altered(1, {{"Output_Path", "", "borg:/b"}, {"Resource_List", "walltime", "00:01:00"}})) == "requestReceived");
  BOOST_TEST(ordered("Output_Path") == "borg:/a");
  BOOST_TEST(s.when(model::request_carried_out{1}) == "requestDone");
  BOOST_TEST(ordered("Output_Path") == "borg:/b");
  BOOST_TEST(ordered("Resource_List") == "00:01:00");
  BOOST_TEST(!is_over());
  BOOST_TEST(s.run.alterations == 1u);
  s.when(altered(2, {{"Resource_List", "walltime", "", schema::AttributeOp::UNSET}}));
  s.when(model::request_carried_out{2});
  BOOST_TEST(ordered("Resource_List") == "");
  BOOST_TEST(ordered("Output_Path") == "borg:/b");
}

BOOST_AUTO_TEST_CASE(wall_time_stands_still_while_a_run_is_suspended) {
  const auto request = [](std::uint64_t id, bool suspend) {
    return model::make_event([&](schema::Event::Builder e) {
      auto w = e.initRun().initRequestReceived();
      w.setId(id);
      if (suspend) w.setSuspend();
      else w.setResume();
    });
  };
  auto s = given_run(run_phase::started);
  const auto at = [&](std::int64_t second) {
    return model::event_place{++s.sequence, 3, s.run.version + 1, second * 1'000'000'000, the_server()};
  };
  model::apply(s.run, at(100), request(1, true).get());
  BOOST_TEST(model::counted(s.run, {.wall_seconds = 50}, 130, {}).wall_seconds == 20u);
  model::apply(s.run, at(140), request(2, false).get());
  BOOST_TEST(model::counted(s.run, {.wall_seconds = 60}, 200, {}).wall_seconds == 20u);
  BOOST_TEST(model::counted(s.run, {.wall_seconds = 10}, 200, {}).wall_seconds == 0u);
  // What is left counts as its host counts time.
  const auto slow = model::counted(s.run, {.cpu_seconds = 7, .wall_seconds = 60}, 200, {.cput = 1.5, .walltime = 0.25});
  BOOST_TEST(slow.wall_seconds == 5u);
  BOOST_TEST(slow.cpu_seconds == 10u);
}

BOOST_AUTO_TEST_CASE(each_phase_owes_what_it_owes) {
  BOOST_TEST(owed(given_run(run_phase::none).run) == "");
  BOOST_TEST(owed(given_run(run_phase::starting).run) == "start");
  BOOST_TEST(owed(given_run(run_phase::started).run) == "watch, say-started");
  BOOST_TEST(owed(given_run(run_phase::ended).run) == "say-exited, place");
  BOOST_TEST(owed(given_run(run_phase::placed).run) == "say-exited, say-left");
  BOOST_TEST(owed(given_run(run_phase::refused).run) == "say-refused");
  BOOST_TEST(owed(given_run(run_phase::left).run) == "clean");
  auto killed = given_run(run_phase::started);
  killed.when(kill(1));
  BOOST_TEST(owed(killed.run) == "watch, say-started, kill SIGTERM");
}

BOOST_AUTO_TEST_CASE(hooks_before_the_program_are_remembered) {
  auto wide = given_asked();
  BOOST_TEST(wide.when(hooks_of("execjob_begin")) == "hookRan");
  BOOST_TEST(wide.run.hooks.has("execjob_begin"));
  auto s = given_run(run_phase::starting);
  BOOST_TEST(s.when(hooks_of("execjob_prologue")) == "hookRan");
  BOOST_TEST((s.run.hooks.has("execjob_prologue") && !s.run.hooks.has("execjob_launch")));
  BOOST_TEST(owed(s.run) == "start");
}

BOOST_AUTO_TEST_CASE(a_hook_that_refuses_the_start_ends_the_run) {
  auto s = given_run(run_phase::starting);
  BOOST_TEST(s.when(hooks_of("execjob_launch", ports::start_failed{-16, "no"})) == "hookRan refused");
  BOOST_TEST(s.run.exit_status == -16);
  BOOST_TEST(owed(s.run) == "say-refused");
  auto wide = given_asked();
  BOOST_TEST(wide.when(hooks_of("execjob_begin", ports::start_failed{-17, "no"})) == "hookRan refused");
  BOOST_TEST(owed(wide.run) == "say-steps, release n2, release n3");
  // A word that comes when the run is over says nothing any more.
  for (auto over : {run_phase::refused, run_phase::started, run_phase::ended, run_phase::left})
    BOOST_TEST(given_run(over).when(hooks_of("execjob_launch", ports::start_failed{-16, "no"})) == "");
}

BOOST_AUTO_TEST_SUITE_END()
