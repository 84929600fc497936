// A run on a MoM: its table exhausted, its commands, and what it owes.
#include <boost/test/unit_test.hpp>

#include <capnp/dynamic.h>

#include <set>

#include "test/support/model_builders.hpp"
#include "test/support/must_stop.hpp"

using namespace annals;
using namespace annals::test;
using model::run_phase;
using which = schema::Event::Which;

namespace {

using to_mom = schema::sealed<schema::ToMom>;

to_mom order(const settings& s = {}, const std::vector<std::string>& sisters = {}) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto o = m.initStartRun();
    o.initRef().setJob("12.borg");
    o.getRef().setRun(1);
    o.setKillDelaySeconds(10);
    auto list = o.initSisters(static_cast<unsigned>(sisters.size()));
    for (unsigned i = 0; i < sisters.size(); ++i) list[i].setHost(sisters[i]);
    fill(o.initAttributes(static_cast<unsigned>(s.size())), s);
  });
}

model::kill_order kill(std::uint64_t id, const std::string& signal = "SIGTERM", std::int32_t exit_status = 271) {
  return {schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto s = m.initSignalRun();
    s.initRef().setJob("12.borg");
    s.getRef().setRun(1);
    s.setId(id);
    s.setSignal(signal);
    s.setKillDelaySeconds(10);
    s.setExitStatus(exit_status);
    s.setOverridesExit(true);
  })};
}

model::tell_order tell(std::uint64_t id, const std::string& signal = "USR1") {
  return {schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto t = m.initTellRun();
    t.initRef().setJob("12.borg");
    t.initWish().setId(id);
    t.getWish().setSignal(signal);
  })};
}

model::discard_order discard() {
  return {schema::make<schema::ToMom>([](schema::ToMom::Builder m) { m.initDiscardRun().setJob("12.borg"); })};
}

struct run_story {
  model::run_state run;
  model::site site;
  std::uint64_t sequence = 0;

  model::outcome ask(const model::run_command& c) const { return model::decide(run, c, {1'000'000'000'000, the_server()}, site); }
  std::string when(const model::run_command& c) {
    const auto o = ask(c);
    for (const auto& e : o.events()) happens(e);
    return said(o);
  }
  void happens(const model::event& e) { model::apply(run, {++sequence, 3, run.version + 1, 1'000'000'000'000, the_server()}, e.get()); }
};

run_story given_run(run_phase phase) {
  run_story s;
  using p = run_phase;
  if (phase == p::none) return s;
  if (phase == p::received) {
    s.happens(model::make_event([](auto e) { e.initRunReceived().setJob("12.borg"); }));
    return s;
  }
  s.when(model::take_order{order()});
  if (phase == p::refused) s.when(model::program_failed{{-2, "no home"}});
  if (phase == p::starting || phase == p::refused) return s;
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  if (phase == p::started) return s;
  s.when(model::program_over{{0, {}}});
  if (phase == p::ended) return s;
  s.when(model::output_placed{{}});
  if (phase == p::left) s.when(model::acknowledged{schema::Ack::What::RUN_LEFT});
  return s;
}

const run_phase every_phase[] = {run_phase::none, run_phase::received, run_phase::starting, run_phase::started,
                                 run_phase::ended, run_phase::placed, run_phase::refused, run_phase::left};

std::vector<model::run_command> every_command() {
  using what = schema::Ack::What;
  return {model::take_order{order()}, model::program_began{{1, 1, 1, "/"}}, model::program_failed{{-3, "again"}},
          model::program_over{{1, {}}}, model::output_placed{{}}, kill(1), kill(2, "SIGKILL", 265),
          model::limit_met{-29, "walltime", 10}, tell(1), tell(2), model::wish_carried_out{1}, discard(), model::acknowledged{what::RUN_STARTED},
          model::acknowledged{what::RUN_REFUSED}, model::acknowledged{what::RUN_EXITED}, model::acknowledged{what::RUN_LEFT}};
}

model::event bare_event(which w) {
  return model::make_event([&](schema::Event::Builder e) {
    capnp::DynamicStruct::Builder any = capnp::toDynamic(e);
    for (auto field : capnp::Schema::from<schema::Event>().getUnionFields())
      if (field.getProto().getDiscriminantValue() == static_cast<std::uint16_t>(w)) any.clear(field);
  });
}

std::string owed(const model::run_state& run) {
  struct names {
    std::string operator()(const model::stage_files_in&) const { return "stage-in"; }
    std::string operator()(const model::unstage_files&) const { return "unstage"; }
    std::string operator()(const model::start_program&) const { return "start"; }
    std::string operator()(const model::watch_program&) const { return "watch"; }
    std::string operator()(const model::kill_discarded&) const { return "kill-discarded"; }
    std::string operator()(const model::kill_program& k) const { return "kill " + k.signal + " " + std::to_string(k.kill_delay_s); }
    std::string operator()(const model::place_output&) const { return "place"; }
    std::string operator()(const model::report_started&) const { return "say-started"; }
    std::string operator()(const model::report_refused&) const { return "say-refused"; }
    std::string operator()(const model::report_exited&) const { return "say-exited"; }
    std::string operator()(const model::report_left&) const { return "say-left"; }
    std::string operator()(const model::carry_out& c) const { return "do " + c.wish.text; }
    std::string operator()(const model::report_wishes& w) const { return "say-done " + std::to_string(w.done); }
    std::string operator()(const model::clean_up&) const { return "clean"; }
    std::string operator()(const model::report_steps&) const { return "say-steps"; }
    std::string operator()(const model::ask_sister& a) const { return "ask " + a.host; }
    std::string operator()(const model::keep_sister& a) const { return "keep " + a.host; }
    std::string operator()(const model::release_sister& a) const { return "release " + a.host; }
    std::string operator()(const model::spawn_task_on& t) const { return "spawn " + std::to_string(t.task); }
  };
  std::string text;
  for (const auto& e : model::pending_effects(run)) text += (text.empty() ? "" : ", ") + std::visit(names(), e);
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(runs)

BOOST_AUTO_TEST_CASE(what_the_table_lists_happens_and_nothing_else_does) {
  for (auto from : every_phase) {
    const auto story = given_run(from);
    BOOST_TEST_REQUIRE((story.run.phase == from));
    for (int w = 0; w < event_count(); ++w) {
      std::set<run_phase> to;
      for (const auto& row : model::run_transitions())
        if (row.from == from && row.event == static_cast<which>(w)) to.insert(row.to);
      BOOST_TEST(model::may_happen(from, static_cast<which>(w)) == !to.empty());
      const auto e = bare_event(static_cast<which>(w));
      if (to.empty() && w >= static_cast<int>(which::RUN_RECEIVED)) {
        BOOST_TEST(stops_the_process([&] { run_story(story).happens(e); }));
      } else if (!to.empty()) {
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
            BOOST_TEST_REQUIRE(model::may_happen(story.run.phase, e.get().which()));
            story.happens(e);
          }
        }
      }
}

BOOST_AUTO_TEST_CASE(a_run_goes_from_its_order_to_the_last_acknowledgement) {
  run_story s;
  BOOST_TEST(s.when(model::take_order{order()}) == "runReceived programStarting");
  BOOST_TEST(s.when(model::take_order{order()}) == "");
  BOOST_TEST(s.run.key() == "12.borg.1");
  BOOST_TEST(s.when(model::program_began{{100, 101, 5, "/home/user1"}}) == "programStarted");
  BOOST_TEST(s.run.session == 101);
  BOOST_TEST(s.when(model::program_over{{3, {.cpu_seconds = 1, .mem_kb = 2, .vmem_kb = 3, .wall_seconds = 4, .ncpus = 1, .cpu_percent = 6}}}) == "programEnded");
  BOOST_TEST(s.run.exit_status == 3);
  BOOST_TEST(s.run.usage.mem_kb == 2u);
  BOOST_TEST(s.when(model::acknowledged{schema::Ack::What::RUN_EXITED}) == "");
  BOOST_TEST(s.when(model::output_placed{{.ok = false, .text = "no such host"}}) == "outputPlaced");
  BOOST_TEST(!s.run.delivered);
  BOOST_TEST(s.when(model::acknowledged{schema::Ack::What::RUN_LEFT}) == "runLeft");
}

BOOST_AUTO_TEST_CASE(a_run_killed_before_its_order_came_is_never_started) {
  run_story s;
  BOOST_TEST(s.when(kill(1)) == "runReceived runRefused");
  BOOST_TEST(s.run.exit_status == 271);
  BOOST_TEST(s.when(model::take_order{order()}) == "");
  BOOST_TEST(owed(s.run) == "say-refused");
}

BOOST_AUTO_TEST_CASE(a_stronger_wish_to_kill_is_taken_and_a_weaker_one_is_not) {
  auto s = given_run(run_phase::started);
  BOOST_TEST(s.when(kill(1)) == "killRequested");
  BOOST_TEST(s.when(kill(1)) == "");
  BOOST_TEST(s.when(kill(2, "SIGKILL", 265)) == "killRequested");
  BOOST_TEST(s.when(kill(1)) == "");
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.run.exit_status == 265);       // as the server wanted it reported
}

BOOST_AUTO_TEST_CASE(a_limit_ends_the_run_with_its_own_status_unless_the_server_was_first) {
  auto s = given_run(run_phase::started);
  BOOST_TEST(s.when(model::limit_met{-29, "walltime 10 exceeded limit 3", 10}) == "killRequested");
  BOOST_TEST(s.when(model::limit_met{-29, "walltime 11 exceeded limit 3", 10}) == "");
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.run.exit_status == -29);
  auto killed = given_run(run_phase::started);
  killed.when(kill(1));
  BOOST_TEST(killed.when(model::limit_met{-29, "walltime", 10}) == "");
}

BOOST_AUTO_TEST_CASE(a_discarded_run_is_killed_and_leaves_without_a_word) {
  auto s = given_run(run_phase::started);
  BOOST_TEST(s.when(discard()) == "jobDiscarded");
  BOOST_TEST(s.when(discard()) == "");
  BOOST_TEST(owed(s.run) == "watch, kill-discarded");
  BOOST_TEST(s.when(model::program_over{{9, {}}}) == "programEnded runLeft");
  BOOST_TEST(owed(s.run) == "clean");
  auto starting = given_run(run_phase::starting);
  BOOST_TEST(starting.when(discard()) == "jobDiscarded");
  BOOST_TEST(starting.when(model::program_failed{{-3, ""}}) == "runRefused runLeft");
  BOOST_TEST(given_run(run_phase::placed).when(discard()) == "runLeft");
}

// A hook may have refused a kill of any strength before: this one is another debt, of which no hook is asked.
BOOST_AUTO_TEST_CASE(a_discarded_run_is_killed_whatever_wished_it_killed_before) {
  auto s = given_run(run_phase::started);
  s.when(kill(2, "SIGKILL", 265));
  BOOST_TEST(owed(s.run) == "watch, say-started, kill SIGKILL 10");
  s.when(discard());
  BOOST_TEST(owed(s.run) == "watch, kill-discarded");
}

BOOST_AUTO_TEST_CASE(a_wish_is_carried_out_once_and_told_again_until_the_run_ends) {
  auto s = given_run(run_phase::starting);
  BOOST_TEST(s.when(tell(1)) == "wishReceived");
  BOOST_TEST(owed(s.run) == "start");                    // it waits for the program
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  BOOST_TEST(owed(s.run) == "watch, say-started, do USR1");
  BOOST_TEST(s.when(tell(1, "USR2")) == "");             // a repeat
  BOOST_TEST(s.when(tell(2, "HUP")) == "wishReceived");
  BOOST_TEST(s.when(model::wish_carried_out{1}) == "wishDone");
  BOOST_TEST(owed(s.run) == "watch, say-started, do HUP, say-done 1");
  BOOST_TEST(s.when(model::wish_carried_out{2}) == "wishDone");
  BOOST_TEST(s.when(model::wish_carried_out{2}) == "");
  BOOST_TEST(s.when(tell(2, "HUP")) == "");
  BOOST_TEST(owed(s.run) == "watch, say-started, say-done 2");
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.when(tell(3)) == "");
}

BOOST_AUTO_TEST_CASE(wall_time_stands_still_while_a_run_is_suspended) {
  const auto wish = [](std::uint64_t id, bool suspend) {
    return model::make_event([&](schema::Event::Builder e) {
      auto w = e.initWishReceived();
      w.setId(id);
      if (suspend) w.setSuspend();
      else w.setResume();
    });
  };
  auto s = given_run(run_phase::started);
  const auto at = [&](std::int64_t second) { return model::event_place{++s.sequence, 3, s.run.version + 1, second * 1'000'000'000, the_server()}; };
  model::apply(s.run, at(100), wish(1, true).get());
  BOOST_TEST(model::counted(s.run, {.wall_seconds = 50}, 130).wall_seconds == 20u);
  model::apply(s.run, at(140), wish(2, false).get());
  BOOST_TEST(model::counted(s.run, {.wall_seconds = 60}, 200).wall_seconds == 20u);
  BOOST_TEST(model::counted(s.run, {.wall_seconds = 10}, 200).wall_seconds == 0u);
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
  BOOST_TEST(owed(killed.run) == "watch, say-started, kill SIGTERM 10");
}

// -- runs on several hosts (docs/design/0020-jobs-across-hosts.md) ---------------------------------------------------------

namespace {

run_story given_asked() {
  run_story s;
  s.when(model::take_order{order({}, {"n2", "n3"})});
  return s;
}
run_story given_joined() {
  auto s = given_asked();
  s.when(model::sister_joined{"n2"});
  s.when(model::sister_joined{"n3"});
  return s;
}
run_story given_all_started() {
  auto s = given_joined();
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  return s;
}
run_story given_all_ended() {
  auto s = given_all_started();
  s.when(model::program_over{{3, {.cpu_seconds = 1, .mem_kb = 2, .vmem_kb = 3, .wall_seconds = 4, .ncpus = 3, .cpu_percent = 6}}});
  return s;
}
// Everything is over but the acknowledgement, and a task's end was never told.
run_story given_all_placed() {
  auto s = given_all_started();
  s.when(model::ask_task{"n2", "n1", 1, {"x"}, {}});
  s.when(model::program_over{{0, {}}});
  s.when(model::sister_left{{"n2", {}, 1}});
  s.when(model::sister_left{{"n3", {}, 1}});
  s.when(model::output_placed{{}});
  return s;
}

std::vector<model::run_command> every_word_of_a_sister() {
  return {model::sister_joined{"n2"}, model::sister_joined{"n3"}, model::sister_joined{"n9"}, model::sister_refused{"n2", 15058, "no"}, model::sister_refused{"n3", 15058, "no"},
          model::sister_left{{"n2", {}, 1}}, model::sister_left{{"n3", {}, 1}}, model::sister_silent{{"n2", {}, 0}},
          model::sister_silent{{"n3", {}, 0}}, model::join_wait_over{}, model::ask_task{"n1", "n1", 0, {"a"}, {}},
          model::ask_task{"n2", "n1", 1, {"a"}, {}}, model::task_told{2, "n2", model::task_told::state::running, 0, {}},
          model::task_told{2, "n2", model::task_told::state::ended, 3, {}}, model::sisters_used{{{"n2", {.cpu_seconds = 1}, 5}}}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_program_starts_when_every_sister_has_joined) {
  run_story s;
  BOOST_TEST(s.when(model::take_order{order({}, {"n2", "n3"})}) == "runReceived sistersAsked");
  BOOST_TEST(owed(s.run) == "say-steps, ask n2, ask n3");
  BOOST_TEST(s.when(model::sister_joined{"n3"}) == "sisterJoined");
  BOOST_TEST(s.when(model::sister_joined{"n3"}) == "");
  BOOST_TEST(owed(s.run) == "say-steps, ask n2, keep n3");
  BOOST_TEST(s.when(model::sister_joined{"n2"}) == "sisterJoined programStarting");
  BOOST_TEST(owed(s.run) == "say-steps, start, keep n2, keep n3");
  BOOST_TEST(s.run.steps.size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_sister_that_refuses_or_is_silent_has_the_job_queued_again) {
  auto refused = given_asked();
  refused.when(model::sister_joined{"n3"});
  BOOST_TEST(refused.when(model::sister_refused{"n2", 15058, "no such user"}) == "sisterFailed sisterLeft runRefused");
  BOOST_TEST(refused.run.exit_status == -3);
  BOOST_TEST(refused.run.text == "job_start_error 15058 from node n2 could not JOIN_JOB successfully");
  BOOST_TEST(owed(refused.run) == "say-steps, release n3");
  BOOST_TEST(refused.when(model::sister_left{{"n3", {}, 1}}) == "sisterLeft");
  BOOST_TEST(owed(refused.run) == "say-steps, say-refused");
  BOOST_TEST(refused.when(model::acknowledged{schema::Ack::What::RUN_REFUSED}) == "runLeft");

  auto silent = given_asked();
  BOOST_TEST(silent.when(model::sister_silent{{"n2", {}, 0}}) == "sisterFailed runRefused");
  BOOST_TEST(owed(silent.run) == "say-steps, release n2, release n3");
  BOOST_TEST(silent.when(model::sister_silent{{"n2", {}, 0}}) == "sisterLeft");
  BOOST_TEST(silent.when(model::sister_left{{"n3", {}, 1}}) == "sisterLeft");
  BOOST_TEST(silent.run.abandoned_hosts() == std::vector<std::string>{"n2"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_a_sisters_hook_wants_of_the_job_is_done) {
  const std::pair<int, int> codes[] = {{15169, -16}, {15136, -16}, {15170, -18}, {15171, -19}, {-10, -3}};
  for (const auto& [refusal, exit_status] : codes) {
    auto s = given_asked();
    s.when(model::sister_refused{"n2", refusal, "no"});
    BOOST_TEST(s.run.exit_status == exit_status);
  }
}

namespace {
model::hooks_done hooks_of(const char* event, std::optional<ports::start_failed> refused = {}) {
  return {{schema::make<schema::HookRun>([&](schema::HookRun::Builder r) {
            r.setHook("h");
            r.setEvent(event);
          })},
          refused};
}
}  // namespace

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
  BOOST_TEST(s.when(hooks_of("execjob_launch", ports::start_failed{-16, "no"})) == "hookRan runRefused");
  BOOST_TEST(s.run.exit_status == -16);
  BOOST_TEST(owed(s.run) == "say-refused");
  auto wide = given_asked();
  BOOST_TEST(wide.when(hooks_of("execjob_begin", ports::start_failed{-17, "no"})) == "hookRan runRefused");
  BOOST_TEST(owed(wide.run) == "say-steps, release n2, release n3");
  // A word that comes when the run is over says nothing any more.
  for (auto over : {run_phase::refused, run_phase::started, run_phase::ended, run_phase::left})
    BOOST_TEST(given_run(over).when(hooks_of("execjob_launch", ports::start_failed{-16, "no"})) == "");
}

BOOST_AUTO_TEST_CASE(the_wait_for_sisters_ends) {
  auto s = given_asked();
  s.when(model::sister_joined{"n2"});
  BOOST_TEST(s.when(model::join_wait_over{}) == "joinWaitEnded sisterFailed runRefused");
  BOOST_TEST(s.run.text == "job_start_error 15059 from node n3 could not JOIN_JOB successfully");
  auto late = given_joined();
  BOOST_TEST(late.when(model::join_wait_over{}) == "");
}

BOOST_AUTO_TEST_CASE(a_run_killed_before_its_program_started_is_refused_and_its_sisters_leave) {
  auto s = given_asked();
  BOOST_TEST(s.when(kill(1)) == "runRefused");
  BOOST_TEST(s.run.exit_status == 271);
  BOOST_TEST(owed(s.run) == "say-steps, release n2, release n3");
  BOOST_TEST(s.when(model::sister_joined{"n2"}) == "");
}

BOOST_AUTO_TEST_CASE(what_sisters_have_told_of_their_use_is_kept_for_a_later_life_of_the_primary) {
  auto s = given_all_started();
  const model::host_usage told{"n2", {.cpu_seconds = 7, .mem_kb = 70}, 5};
  BOOST_TEST(s.when(model::sisters_used{{told, {"n9", {.cpu_seconds = 1}, 5}}}) == "usageReported");
  BOOST_TEST(s.when(model::sisters_used{{told}}) == "");
  BOOST_TEST((s.run.sister("n2")->usage == told));
  BOOST_TEST((s.run.sister("n3")->usage == model::host_usage{}));
  const auto steps = s.run.steps.size();
  BOOST_TEST(s.when(model::sisters_used{{{"n2", {.cpu_seconds = 8, .mem_kb = 70}, 6}}}) == "usageReported");
  BOOST_TEST(s.run.steps.size() == steps);        // the server hears of it otherwise
  s.when(model::program_over{{0, {.cpu_seconds = 1}}});
  BOOST_TEST(s.when(model::sister_silent{s.run.sister("n2")->usage}) == "sisterLeft");
  BOOST_TEST(s.run.total_usage().cpu_seconds == 9u);
  for (auto other : {run_phase::received, run_phase::ended, run_phase::left})
    BOOST_TEST(given_run(other).when(model::sisters_used{{told}}) == "");
}

BOOST_AUTO_TEST_CASE(a_sister_lost_while_the_program_runs_ends_the_run) {
  auto s = given_all_started();
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n2, keep n3");
  BOOST_TEST(s.when(model::sister_silent{{"n2", {}, 0}}) == "sisterFailed killRequested");
  BOOST_TEST(s.when(model::sister_silent{{"n2", {}, 0}}) == "");
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n3, kill SIGKILL 0");
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.run.exit_status == -4);
  BOOST_TEST(owed(s.run) == "say-steps, release n2, release n3");
}

BOOST_AUTO_TEST_CASE(a_lost_sister_does_not_change_how_a_job_ends_that_was_deleted_before) {
  auto s = given_all_started();
  s.when(kill(1));
  BOOST_TEST(s.when(model::sister_silent{{"n2", {}, 0}}) == "sisterFailed killRequested");
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n3, kill SIGKILL 0");
  s.when(model::program_over{{0, {}}});
  BOOST_TEST(s.run.exit_status == 271);
}

BOOST_AUTO_TEST_CASE(the_end_is_told_when_the_job_is_gone_from_every_host) {
  auto s = given_all_ended();
  BOOST_TEST(owed(s.run) == "say-steps, release n2, release n3");
  BOOST_TEST(s.when(model::sister_left{{"n2", {.cpu_seconds = 10, .mem_kb = 20, .vmem_kb = 30, .wall_seconds = 999, .ncpus = 9, .cpu_percent = 1}, 5}}) == "sisterLeft");
  BOOST_TEST(s.when(model::sister_left{{"n2", {}, 6}}) == "");
  BOOST_TEST(owed(s.run) == "say-steps, release n3");
  BOOST_TEST(s.when(model::sister_silent{{"n3", {.cpu_seconds = 100}, 7}}) == "sisterLeft");
  BOOST_TEST(owed(s.run) == "say-steps, say-exited, place");
  const auto all = s.run.total_usage();
  BOOST_TEST((all == ports::run_usage{111, 22, 33, 4, 3, 7}));
  BOOST_TEST(s.run.usage_by_host("n1", 8).size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_discarded_run_waits_for_its_sisters_before_it_is_gone) {
  auto s = given_all_started();
  s.when(discard());
  BOOST_TEST(s.when(model::program_over{{9, {}}}) == "programEnded");
  BOOST_TEST(owed(s.run) == "release n2, release n3");
  s.when(model::sister_left{{"n2", {}, 1}});
  BOOST_TEST(s.when(model::sister_left{{"n3", {}, 1}}) == "sisterLeft runLeft");
  auto asked = given_asked();
  BOOST_TEST(asked.when(discard()) == "jobDiscarded runRefused");
  asked.when(model::sister_silent{{"n2", {}, 1}});
  BOOST_TEST(asked.when(model::sister_silent{{"n3", {}, 1}}) == "sisterLeft runLeft");
}

BOOST_AUTO_TEST_CASE(a_task_on_a_sister_is_numbered_asked_for_and_settled) {
  auto s = given_all_started();
  const auto asked = s.ask(model::ask_task{"n2", "n1", 1, {"/bin/date"}, {"A=b"}});
  BOOST_TEST(asked.reply == "2");
  BOOST_TEST(s.when(model::ask_task{"n2", "n1", 1, {"/bin/date"}, {"A=b"}}) == "taskAsked");
  BOOST_TEST(s.ask(model::ask_task{"n3", "n1", 2, {"x"}, {}}).reply == "3");
  BOOST_TEST(owed(s.run).ends_with("spawn 2"));
  BOOST_TEST(s.when(model::task_told{2, "n3", model::task_told::state::running, 0, {}}) == "");      // not its host
  BOOST_TEST(s.when(model::task_told{2, "n2", model::task_told::state::running, 0, {}}) == "taskSettled");
  BOOST_TEST(s.when(model::task_told{2, "n2", model::task_told::state::running, 0, {}}) == "");
  BOOST_TEST(!owed(s.run).ends_with("spawn 2"));
  BOOST_TEST(s.when(model::task_told{2, "n2", model::task_told::state::ended, 7, {}}) == "taskSettled");
  BOOST_TEST(s.when(model::task_told{2, "n2", model::task_told::state::ended, 7, {}}) == "");
  BOOST_TEST(s.run.tasks.at(2).exit_status == 7);
}

BOOST_AUTO_TEST_CASE(a_task_needs_a_host_of_the_run_and_a_running_program) {
  auto s = given_all_started();
  BOOST_TEST(!s.ask(model::ask_task{"n9", "n1", 1, {"x"}, {}}).accepted());
  BOOST_TEST(!given_asked().ask(model::ask_task{"n2", "n1", 1, {"x"}, {}}).accepted());
  BOOST_TEST(!given_all_ended().ask(model::ask_task{"n2", "n1", 1, {"x"}, {}}).accepted());
}

BOOST_AUTO_TEST_CASE(the_primary_has_a_part_too_from_its_first_task_on) {
  auto s = given_run(run_phase::started);
  BOOST_TEST(s.when(model::ask_task{"n1", "n1", 0, {"x"}, {}}) == "sistersAsked taskAsked");
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, ask n1");
  BOOST_TEST(s.when(model::sister_joined{"n1"}) == "sisterJoined");
  BOOST_TEST(owed(s.run) == "say-steps, watch, say-started, keep n1, spawn 2");
  BOOST_TEST(s.when(model::ask_task{"n1", "n1", 0, {"y"}, {}}) == "taskAsked");
  s.when(model::program_over{{0, {.cpu_seconds = 1}}});
  BOOST_TEST(owed(s.run) == "say-steps, release n1");
  s.when(model::sister_left{{"n1", {.cpu_seconds = 5}, 1}});
  BOOST_TEST(s.run.total_usage().cpu_seconds == 6u);
  BOOST_TEST(s.run.usage_by_host("n1", 1).size() == 1u);
}

BOOST_AUTO_TEST_CASE(no_words_of_sisters_lead_to_an_event_that_the_phase_does_not_list) {
  auto commands = every_word_of_a_sister();
  for (auto& c : every_command()) commands.push_back(c);
  const std::vector<run_story> stories = {given_asked(), given_joined(), given_all_started(), given_all_ended(), given_all_placed()};
  for (const auto& given : stories)
    for (const auto& first : commands)
      for (const auto& second : commands)
        for (const auto& third : every_word_of_a_sister()) {
          auto story = given;
          for (const auto* command : {&first, &second, &third}) {
            const auto o = story.ask(*command);
            for (const auto& e : o.events()) {
              BOOST_REQUIRE_MESSAGE(model::may_happen(story.run.phase, e.get().which()),
                                    name_of(e.get().which()) << " in phase " << static_cast<int>(story.run.phase) << " after command " << command->index());
              story.happens(e);
            }
          }
        }
}

BOOST_AUTO_TEST_SUITE_END()
