// A run on a MoM, told command by command: builders of what it is told, runs that have come some way, and what they owe.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "test/support/model_builders.hpp"

namespace annals::test {

using model::run_phase;
using to_mom = schema::sealed<schema::ToMom>;

inline to_mom order(const given_values& s = {}, const std::vector<std::string>& sisters = {}) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto o = m.initStartRun();
    o.initRef().setJob("12.borg");
    o.getRef().setRun(1);
    o.setKillDelaySeconds(10);
    std::string exec_vnode = "(n1:ncpus=1)", exec_host = "n1/0";
    for (const auto& sister : sisters) {
      exec_vnode += "+(" + sister + ":ncpus=2)";
      exec_host += "+" + sister + "/0*2";
    }
    o.setExecVnode(exec_vnode);
    o.setExecHost(exec_host);
    auto list = o.initSisters(static_cast<unsigned>(sisters.size()));
    for (unsigned i = 0; i < sisters.size(); ++i) list[i].setHost(sisters[i]);
    fill(o.initAttributes(static_cast<unsigned>(s.size())), s);
  });
}

inline model::kill_order kill(std::uint64_t id, const std::string& signal = "SIGTERM", std::int32_t exit_status = 271,
                              std::uint32_t resend_term_s = 0) {
  return {schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto s = m.initSignalRun();
    s.initRef().setJob("12.borg");
    s.getRef().setRun(1);
    s.setId(id);
    s.setSignal(signal);
    s.setKillDelaySeconds(10);
    s.setExitStatus(exit_status);
    s.setOverridesExit(true);
    s.setResendTermSeconds(resend_term_s);
  })};
}

inline model::tell_order tell(std::uint64_t id, const std::string& signal = "USR1") {
  return {schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto t = m.initTellRun();
    t.initRef().setJob("12.borg");
    t.initRequest().setId(id);
    t.getRequest().setSignal(signal);
  })};
}

inline model::discard_order discard() {
  return {schema::make<schema::ToMom>([](schema::ToMom::Builder m) { m.initDiscardRun().setJob("12.borg"); })};
}

constexpr std::int64_t story_start_ns = 1'000'000'000'000;

struct run_story {
  model::run_state run;
  model::settings settings;
  std::uint64_t sequence = 0;
  std::int64_t now_ns = story_start_ns;

  model::outcome ask(const model::run_command& c) const { return model::decide(run, c, {now_ns, the_server()}, settings); }
  std::string when(const model::run_command& c) {
    const auto o = ask(c);
    for (const auto& e : o.events()) happens(e);
    return said(o);
  }
  void happens(const model::event& e) { model::apply(run, {++sequence, 3, run.version + 1, now_ns, the_server()}, e.get()); }
  void pass(std::int64_t seconds) { now_ns += seconds * 1'000'000'000; }

  // The timer of this kind, and for this host, that runs.
  std::optional<model::wake> timer(model::run_timer what, const std::string& host = {}) const {
    for (const auto& e : model::pending_effects(run, {}))
      if (const auto* w = std::get_if<model::wake>(&e); w && w->what == what && w->host == host) return *w;
    return std::nullopt;
  }
  // It is waited for until then; it fires, if there is one.
  std::string rings(model::run_timer what, const model::host_usage& last = {}) {
    const auto w = timer(what, last.host);
    if (!w) return "";
    now_ns = std::max(now_ns, w->at_ns);
    return when(model::timer_fired{*w, last});
  }
  // The host is out of reach for as long as the run allows.
  std::string loses(const model::host_usage& last) {
    when(model::sister_away{last.host, now_ns});
    return rings(model::run_timer::sister_silence, last);
  }
};

inline run_story given_run(run_phase phase) {
  run_story s;
  using p = run_phase;
  if (phase == p::none) return s;
  if (phase == p::received) {
    s.happens(model::make_event([](auto e) { e.initRun().initReceived().setJob("12.borg"); }));
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

inline const run_phase every_phase[] = {run_phase::none, run_phase::received, run_phase::starting, run_phase::started,
                                        run_phase::ended, run_phase::placed, run_phase::refused, run_phase::left};

inline std::vector<model::run_command> every_command() {
  using what = schema::Ack::What;
  return {model::take_order{order()},
          model::program_began{{1, 1, 1, "/"}},
          model::program_failed{{-3, "again"}},
          model::start_stopped{},
          model::hooks_used{{{"cput", "00:00:07"}}, false},
          model::program_over{{1, {}}},
          model::output_placed{{}},
          kill(1),
          kill(2, "SIGKILL", 265),
          model::limit_met{-29, "walltime", 10},
          tell(1),
          tell(2),
          model::request_carried_out{1},
          discard(),
          model::acknowledged{what::RUN_STARTED},
          model::acknowledged{what::RUN_REFUSED},
          model::acknowledged{what::RUN_EXITED},
          model::acknowledged{what::RUN_LEFT}};
}

// All but timers and lines in logs.
inline std::string owed(const model::run_state& run) {
  struct names {
    std::string operator()(const model::stage_files_in&) const { return "stage-in"; }
    std::string operator()(const model::unstage_files&) const { return "unstage"; }
    std::string operator()(const model::start_program&) const { return "start"; }
    std::string operator()(const model::watch_program&) const { return "watch"; }
    std::string operator()(const model::kill_discarded&) const { return "kill-discarded"; }
    std::string operator()(const model::discard_again&) const { return "discard"; }
    std::string operator()(const model::note_discarded&) const { return {}; }
    std::string operator()(const model::fetch_script&) const { return "fetch"; }
    std::string operator()(const model::want_ticket&) const { return "want-ticket"; }
    std::string operator()(const model::term_again&) const { return "term-again"; }
    std::string operator()(const model::kill_harder&) const { return "kill-harder"; }
    std::string operator()(const model::kill_on& k) const { return "kill-on " + k.host + " " + k.signal; }
    std::string operator()(const model::wake&) const { return {}; }
    std::string operator()(const model::kill_program& k) const { return "kill " + k.signal; }
    std::string operator()(const model::place_output&) const { return "place"; }
    std::string operator()(const model::report_started&) const { return "say-started"; }
    std::string operator()(const model::report_refused&) const { return "say-refused"; }
    std::string operator()(const model::report_exited&) const { return "say-exited"; }
    std::string operator()(const model::report_left&) const { return "say-left"; }
    std::string operator()(const model::carry_out& c) const { return "do " + c.request.text; }
    std::string operator()(const model::report_requests& w) const { return "say-done " + std::to_string(w.done); }
    std::string operator()(const model::clean_up&) const { return "clean"; }
    std::string operator()(const model::write_node_file& e) const { return "node file " + std::to_string(e.number); }
    std::string operator()(const model::report_steps&) const { return "say-steps"; }
    std::string operator()(const model::ask_sister& a) const { return "ask " + a.host; }
    std::string operator()(const model::keep_sister& a) const { return "keep " + a.host; }
    std::string operator()(const model::begin_launch&) const { return "launch"; }
    std::string operator()(const model::run_prologue&) const { return "prologue"; }
    std::string operator()(const model::update_sister& u) const { return "update " + u.host; }
    std::string operator()(const model::ask_prologue& a) const { return "ask-prologue " + a.host; }
    std::string operator()(const model::release_sister& a) const { return "release " + a.host; }
    std::string operator()(const model::spawn_task_on& t) const { return "spawn " + std::to_string(t.task); }
  };
  std::string text;
  for (const auto& e : model::pending_effects(run, {}))
    if (const auto name = std::visit(names(), e); !name.empty()) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// -- runs on several hosts (docs/design/0020-jobs-across-hosts.md): n1 is the primary, n2 and n3 its sisters ----------------

inline run_story given_asked() {
  run_story s;
  s.when(model::take_order{order({}, {"n2", "n3"})});
  return s;
}
inline run_story given_joined() {
  auto s = given_asked();
  s.when(model::sister_joined{"n2"});
  s.when(model::sister_joined{"n3"});
  return s;
}
inline run_story given_all_starting() {  // there are no hooks
  auto s = given_joined();
  s.when(model::joins_over{false});
  return s;
}
inline run_story given_all_started() {
  auto s = given_all_starting();
  s.when(model::program_began{{100, 100, 5, "/home/user1"}});
  return s;
}
inline run_story given_all_ended() {
  auto s = given_all_started();
  s.when(model::program_over{{3, {.cpu_seconds = 1, .mem_kb = 2, .vmem_kb = 3, .wall_seconds = 4, .ncpus = 3, .cpu_percent = 6}}});
  return s;
}
// Everything is over but the acknowledgement, and a task's end was never told.
inline run_story given_all_placed() {
  auto s = given_all_started();
  s.when(model::ask_task{"n2", "n1", 1, {"x"}, {}});
  s.when(model::program_over{{0, {}}});
  s.when(model::sister_left{{"n2", {}, 1}});
  s.when(model::sister_left{{"n3", {}, 1}});
  s.when(model::output_placed{{}});
  return s;
}

inline model::timer_fired fired(model::run_timer what, const std::string& host) {
  return {{what, host, story_start_ns, story_start_ns}, {host, {}, 0}};
}

// A hook lets n3 go: n1 and n2 have what is asked.
inline model::hooks_done reducing(const std::string& by = "execjob_launch") {
  model::allocation_change c{"(n3:ncpus=2)", "(n1:ncpus=1)+(n2:ncpus=2)", "n1/0+n2/0*2", {0, 1}, "ncpus=1+ncpus=2", {}, by};
  c.changes = {{"Resource_List", "ncpus", "3"}, {"Resource_List", "mpiprocs", std::nullopt}, {"schedselect", "", "1:ncpus=1+1:ncpus=2"}};
  return {{}, std::nullopt, {std::move(c)}};
}

inline std::vector<model::run_command> every_word_of_a_sister() {
  return {model::sister_joined{"n2"},
          model::sister_joined{"n3"},
          model::sister_joined{"n9"},
          model::sister_refused{"n2", 15058, "no"},
          model::sister_refused{"n3", 15058, "no"},
          model::sister_left{{"n2", {}, 1}},
          model::sister_left{{"n3", {}, 1}},
          model::sisters_absent{{"n2", "n9"}, "no answer"},
          model::sister_away{"n2", story_start_ns},
          model::sister_back{"n2", story_start_ns},
          model::ticket_lapsed{},
          model::kill_sent{1, "SIGTERM"},
          fired(model::run_timer::sister_silence, "n2"),
          fired(model::run_timer::leave_wait, "n3"),
          fired(model::run_timer::join_alarm, {}),
          fired(model::run_timer::launch_delay, {}),
          model::joins_over{true},
          model::joins_over{false},
          model::prologue_over{"n2", 0, {}},
          model::prologue_over{"n3", 15169, "no"},
          fired(model::run_timer::term_delay, {}),
          fired(model::run_timer::kill_delay, {}),
          model::ask_task{"n1", "n1", 0, {"a"}, {}},
          model::ask_task{"n2", "n1", 1, {"a"}, {}},
          reducing(),
          model::task_told{2, "n2", model::task_told::state::running, 0, {}},
          model::task_told{2, "n2", model::task_told::state::ended, 3, {}},
          model::sisters_used{{{"n2", model::measured_usage({.cpu_seconds = 1}), 5}}}};
}

}  // namespace annals::test
