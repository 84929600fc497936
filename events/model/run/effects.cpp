// What a run owes the world in each of its states, and how each debt is named. Read off the state after each commit and each
// start: nothing here remembers anything. docs/design/0031-effect-runner.md.
#include "events/model/run/rules.hpp"

namespace annals::model {

using phase = run_phase;

namespace {

void owe_kill(const run_state& run, std::vector<run_effect>& owed) {
  if (run.phase != phase::started) return;
  if (run.discarded) owed.push_back(kill_discarded{});
  else if (run.kill_delay_over) owed.push_back(kill_harder{run.kill_id});
  else if (!run.kill_signal.empty() && run.kill_sent_ns == 0) owed.push_back(kill_program{run.kill_id, run.kill_signal, run.kill_why});
  else if (run.term_delay_over) owed.push_back(term_again{run.kill_id});
  if (!run.discarded && run.kill_sent_ns == 0) return;
  // Requests of the server have ids from 1; one of our own (a limit) counts below them, and nothing above a run that is given up.
  // Of one id SIGKILL is the stronger: a host that was lost ends what a limit has told to end.
  const auto id = run.discarded ? UINT64_MAX : run.kill_id * 4 + (run.kill_signal == "SIGKILL" ? 2 : 1);
  for (const auto& s : run.sisters)
    if (s.phase != sister_phase::left) owed.push_back(kill_on{s.host, id, run.discarded ? "SIGKILL" : run.kill_signal});
}

}  // namespace

bool script_comes_later(schema::StartRun::Reader order) {
  const auto script = order.getScript();
  return script.getHash().size() > 0 && script.getSize() > 0 && order.getInlineScript().size() == 0;
}

std::vector<run_effect> pending_effects(const run_state& run, const run_waits& waits) {
  std::vector<run_effect> owed;
  if (run.discarded) owed.push_back(note_discarded{});
  // First of all reports: the server takes steps of a run that it does not know to be over.
  if (!run.steps.empty() && run.phase != phase::left && !run.discarded) owed.push_back(report_steps{run.steps.size()});
  switch (run.phase) {
    case phase::none: break;
    case phase::received:  // a run on one host: RunReceived and what follows are written together
      if (run.stage_in == stage_in_phase::wanted) owed.push_back(stage_files_in{});
      owe_to_launch(run, owed);
      break;
    case phase::starting:
      if (run.order && script_comes_later(run.order.get().getStartRun())) owed.push_back(fetch_script{});
      owed.push_back(start_program{});
      break;
    case phase::started:
      owed.push_back(watch_program{});
      if (!run.discarded) owed.push_back(report_started{});
      // One after the other: a later one that is done would say that the earlier are.
      if (!run.requests.empty()) owed.push_back(carry_out{run.requests.front()});
      if (run.requests_done > 0 && !run.checkpointed) owed.push_back(report_requests{run.requests_done});  // else its end says it
      if (run.reductions > run.pruned) owed.push_back(write_node_file{run.reductions});
      break;
    case phase::ended:
      if (run.discarded && run.stage_in != stage_in_phase::not_wanted) owed.push_back(unstage_files{});
      if (run.discarded) break;
      if (run.is_checkpointing()) {  // how it has ended is not known before its script has
        owed.push_back(carry_out{run.requests.front()});
        break;
      }
      if (!run.all_left()) break;  // its end is told when everybody's usage is known
      owed.push_back(report_exited{});
      owed.push_back(place_output{});
      break;
    case phase::placed:
      owed.push_back(report_exited{});
      owed.push_back(report_left{});
      break;
    case phase::refused:
      if (run.stage_in != stage_in_phase::not_wanted) owed.push_back(unstage_files{});
      if (run.all_left() && !run.discarded) owed.push_back(report_refused{});
      break;
    case phase::left:
      if (!run.placed && run.stage_in != stage_in_phase::not_wanted) owed.push_back(unstage_files{});
      owed.push_back(clean_up{});
      break;
  }
  if (run.over() && run.discarded && run.all_left() && run.stage_in != stage_in_phase::not_wanted) owed.push_back(discard_again{});
  owe_to_sisters(run, owed);
  owe_to_tasks(run, owed);
  owe_kill(run, owed);
  owe_timers(run, waits, owed);
  return owed;
}

namespace {
std::string_view name_of(run_timer timer) {
  switch (timer) {
    case run_timer::join_alarm: return "join alarm";
    case run_timer::launch_delay: return "launch delay";
    case run_timer::sister_silence: return "sister silence";
    case run_timer::task_silence: return "task silence";
    case run_timer::leave_wait: return "leave wait";
    case run_timer::term_delay: return "term delay";
    case run_timer::kill_delay: return "kill delay";
  }
  return {};
}
}  // namespace

effect_id id_of(const run_effect& effect) {
  struct visitor {
    effect_id operator()(const stage_files_in&) const { return {"stage in"}; }
    effect_id operator()(const unstage_files&) const { return {"unstage"}; }
    effect_id operator()(const discard_again&) const { return {"discard"}; }
    effect_id operator()(const note_discarded&) const { return {"note discarded"}; }
    effect_id operator()(const fetch_script&) const { return {"script"}; }
    effect_id operator()(const start_program&) const { return {"program"}; }
    effect_id operator()(const watch_program&) const { return {"program"}; }
    effect_id operator()(const kill_program& e) const { return {"kill", e.signal, e.id}; }
    effect_id operator()(const term_again& e) const { return {"term again", {}, e.id}; }
    effect_id operator()(const kill_harder& e) const { return {"kill harder", {}, e.id}; }
    effect_id operator()(const kill_discarded&) const { return {"kill discarded"}; }
    effect_id operator()(const kill_on& e) const { return {"kill on", e.host, e.id}; }
    effect_id operator()(const carry_out& e) const { return {"carry out", {}, e.request.id}; }
    effect_id operator()(const place_output&) const { return {"place"}; }
    effect_id operator()(const report_started&) const { return {"report started"}; }
    effect_id operator()(const report_refused&) const { return {"report refused"}; }
    effect_id operator()(const report_exited&) const { return {"report exited"}; }
    effect_id operator()(const report_left&) const { return {"report left"}; }
    effect_id operator()(const report_requests& e) const { return {"report requests", {}, e.done}; }
    effect_id operator()(const write_node_file& e) const { return {"node file", {}, e.number}; }
    effect_id operator()(const clean_up&) const { return {"clean up"}; }
    effect_id operator()(const report_steps& e) const { return {"report steps", {}, e.count}; }
    effect_id operator()(const want_ticket&) const { return {"want ticket"}; }
    effect_id operator()(const ask_sister& e) const { return {"ask", e.host}; }
    effect_id operator()(const begin_launch&) const { return {"launch"}; }
    effect_id operator()(const run_prologue&) const { return {"prologue"}; }
    effect_id operator()(const ask_prologue& e) const { return {"ask prologue", e.host}; }
    effect_id operator()(const update_sister& e) const { return {"update", e.host, e.number}; }
    effect_id operator()(const keep_sister& e) const { return {"keep", e.host}; }
    effect_id operator()(const release_sister& e) const { return {"release", e.host}; }
    effect_id operator()(const spawn_task_on& e) const { return {"spawn", {}, e.task}; }
    effect_id operator()(const wake& e) const {
      return {name_of(e.what), e.host, static_cast<std::uint64_t>(e.since_ns)};
    }
  };
  return std::visit(visitor{}, effect);
}

std::string sister_of(const run_state& run, const run_effect& effect) {
  return std::visit([&](const auto& e) -> std::string {
    using one = std::decay_t<decltype(e)>;
    if constexpr (std::is_same_v<one, spawn_task_on>) return run.tasks.at(e.task).host;
    else if constexpr (std::is_same_v<one, wake>) return {};  // its host is whom it waits for
    else if constexpr (requires { e.host; }) return e.host;
    else return {};
  },
                    effect);
}

bool is_report(const run_effect& effect) {
  return std::holds_alternative<report_started>(effect) || std::holds_alternative<report_refused>(effect) ||
         std::holds_alternative<report_exited>(effect) || std::holds_alternative<report_left>(effect) ||
         std::holds_alternative<report_requests>(effect) || std::holds_alternative<report_steps>(effect) ||
         std::holds_alternative<want_ticket>(effect);
}

std::optional<effect_id> answered_by(schema::Ack::What what) {
  switch (what) {
    case schema::Ack::What::RUN_STARTED: return id_of(report_started{});
    case schema::Ack::What::RUN_REFUSED: return id_of(report_refused{});
    case schema::Ack::What::RUN_EXITED: return id_of(report_exited{});
    case schema::Ack::What::RUN_LEFT: return id_of(report_left{});
    case schema::Ack::What::RUN_STEPS: return std::nullopt;  // says how many of them
  }
  return std::nullopt;
}

}  // namespace annals::model
