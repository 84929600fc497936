// A run on a MoM: its table exhausted, its commands, what it owes, and the limits it may exceed.
#include <boost/test/unit_test.hpp>

#include <capnp/dynamic.h>

#include <set>

#include "events/model/limits.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/must_stop.hpp"

using namespace annals;
using namespace annals::test;
using model::run_phase;
using which = schema::Event::Which;

namespace {

using to_mom = schema::sealed<schema::ToMom>;

to_mom order(const settings& s = {}) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto o = m.initStartRun();
    o.initRef().setJob("12.borg");
    o.getRef().setRun(1);
    o.setKillDelaySeconds(10);
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
    std::string operator()(const model::start_program&) const { return "start"; }
    std::string operator()(const model::watch_program&) const { return "watch"; }
    std::string operator()(const model::kill_program& k) const { return "kill " + k.signal + " " + std::to_string(k.kill_delay_s); }
    std::string operator()(const model::place_output&) const { return "place"; }
    std::string operator()(const model::report_started&) const { return "say-started"; }
    std::string operator()(const model::report_refused&) const { return "say-refused"; }
    std::string operator()(const model::report_exited&) const { return "say-exited"; }
    std::string operator()(const model::report_left&) const { return "say-left"; }
    std::string operator()(const model::carry_out& c) const { return "do " + c.wish.text; }
    std::string operator()(const model::report_wishes& w) const { return "say-done " + std::to_string(w.done); }
    std::string operator()(const model::clean_up&) const { return "clean"; }
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
  BOOST_TEST(owed(s.run) == "watch, kill SIGKILL 0");
  BOOST_TEST(s.when(model::program_over{{9, {}}}) == "programEnded runLeft");
  BOOST_TEST(owed(s.run) == "clean");
  auto starting = given_run(run_phase::starting);
  BOOST_TEST(starting.when(discard()) == "jobDiscarded");
  BOOST_TEST(starting.when(model::program_failed{{-3, ""}}) == "runRefused runLeft");
  BOOST_TEST(given_run(run_phase::placed).when(discard()) == "runLeft");
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

BOOST_AUTO_TEST_CASE(limits_are_met_when_usage_is_above_them) {
  const auto o = order({{"Resource_List", "walltime", "00:00:03"}, {"Resource_List", "cput", "00:00:05"}, {"Resource_List", "mem", "10mb"}});
  const auto met = [&](const ports::run_usage& u, bool enforce) {
    const auto m = model::exceeded_limit(o.get().getStartRun(), u, enforce);
    return m ? std::to_string(m->exit_status) + " " + m->why : std::string();
  };
  BOOST_TEST(met({.wall_seconds = 3}, true) == "");
  BOOST_TEST(met({.wall_seconds = 4}, true) == "-29 walltime 4 exceeded limit 3");
  BOOST_TEST(met({.cpu_seconds = 6}, true) == "-28 cput 6 exceeded limit 5");
  BOOST_TEST(met({.mem_kb = 10241}, false) == "");
  BOOST_TEST(met({.mem_kb = 10240}, true) == "");
  BOOST_TEST(met({.mem_kb = 10241}, true) == "-27 mem 10241kb exceeded limit 10240kb");
}

BOOST_AUTO_TEST_CASE(usage_is_worth_reporting_when_it_is_old_or_has_grown) {
  const ports::run_usage hour{.cpu_seconds = 1000, .mem_kb = 1000, .vmem_kb = 1000, .wall_seconds = 3600, .ncpus = 1, .cpu_percent = 50};
  const auto later = [&](auto change) {
    auto u = hour;
    change(u);
    return u;
  };
  const auto aged = later([](auto& u) { u.wall_seconds = 3636; });
  BOOST_TEST(!model::worth_reporting(hour, hour, 1000, 10));
  BOOST_TEST(!model::worth_reporting(aged, hour, 9, 10));
  BOOST_TEST(!model::worth_reporting(aged, hour, 36, 10));
  BOOST_TEST(model::worth_reporting(aged, hour, 37, 10));
  BOOST_TEST(!model::worth_reporting(later([](auto& u) { u.cpu_percent = 100; }), hour, 10, 10));
  for (const auto& grown : {later([](auto& u) { u.mem_kb = 1101; }), later([](auto& u) { u.vmem_kb = 1101; }), later([](auto& u) { u.cpu_seconds = 1101; }),
                            later([](auto& u) { u.ncpus = 2; })})
    BOOST_TEST(model::worth_reporting(grown, hour, 10, 10));
  BOOST_TEST(!model::worth_reporting(later([](auto& u) { u.mem_kb = 1100; }), hour, 10, 10));
}

BOOST_AUTO_TEST_CASE(a_month_of_usage_fits_into_a_series) {
  ports::run_usage now{.cpu_seconds = 0, .mem_kb = 1, .vmem_kb = 1, .wall_seconds = 0, .ncpus = 1, .cpu_percent = 0}, told = now;
  std::size_t reports = 0;
  std::int64_t told_at = 0;
  for (std::int64_t t = 1; t <= 30 * 24 * 3600; ++t) {
    now.wall_seconds = now.cpu_seconds = static_cast<std::uint64_t>(t);
    if (!model::worth_reporting(now, told, t - told_at, 10)) continue;
    ++reports;
    told = now;
    told_at = t;
  }
  BOOST_TEST(reports > 500u);
  BOOST_TEST(reports < limits::usage_samples_max);
}

BOOST_AUTO_TEST_SUITE_END()
