#include "actors/mom/runs/program_start.hpp"

#include <utility>

#include "events/model/exit_codes.hpp"

namespace annals::actors {

void program_start::revive() {
  may_have_started_ = state().phase == model::run_phase::starting && run_.parts.processes->has_order(run_.key);
}

bool program_start::hooks_allow(hook_point point) {
  if (hooks_.has_passed(point)) return true;
  if (hosts_.has_wanted_release()) {
    if (hosts_.all_are_there()) hosts_.release_what_hooks_want();
    return false;
  }
  if (!hooks_.wanted(point)) return hooks_.open(point), true;
  if (!hooks_.ask_once(point)) return false;
  auto asked = hooks_.at(point);
  hooks_.ask(asked, [this, point, shown = asked.job.failed](hook_point_passed& p) {
    if (p.stops_start()) return run_.command(model::hooks_done{std::move(p.runs), p.why()});
    if (!p.runs.empty()) return take_word_of(p, shown);
    hooks_.pass(point);
  });
  return false;
}

// Hooks have had their say. Their release waits until the hosts that stay are known to be there.
void program_start::take_word_of(hook_point_passed& p, std::vector<std::string> shown) {
  model::hooks_done done{std::move(p.runs), {}, std::move(p.reduced), hooks_.to_keep(std::move(p.used))};
  if (!done.reduced || may_have_started_) return run_.command(std::move(done));
  hosts_.want_release({std::move(done), p.reduced_by_select, std::move(shown)});
}

begun program_start::fetch_script() {
  if (script_ || launching_) return begun::yes;
  if (!hooks_allow(hook_point::begin) || !hooks_allow(hook_point::prologue)) return begun::not_yet;
  const auto h = run_.order().getScript().getHash();
  run_.self->send(run_.mom, want_script{{reinterpret_cast<const char*>(h.begin()), h.size()}, run_.key});
  return begun::yes;
}

void program_start::on_script(const script_text& s) {
  if (s.missing) return run_.command(model::program_failed{{model::exit_script_lost, "the server does not have the job's script"}});
  script_ = s.text;
  run_.reconcile();
}

// RS-15, RS-130. An earlier life may have started the program: then it is found, and killed.
begun program_start::start() {
  if (state().start_is_unwanted() && !may_have_started_) return run_.command(model::start_stopped{}), begun::not_yet;
  if (!hooks_allow(hook_point::begin) || !hooks_allow(hook_point::prologue)) return begun::not_yet;
  if (model::script_comes_later(run_.order()) && !script_) return begun::not_yet;
  if (!std::exchange(launch_told_, true)) run_.lines().launch_delay(": before launch");
  if (may_have_started_ ? hosts_.prunes_by_itself(may_have_started_) || sisters_.waits_for_updates() : !has_its_hosts())
    return begun::not_yet;
  return start_after_hooks();
}

bool program_start::has_its_hosts() {
  if (hooks_.is_asked(hook_point::launch) && !launching_ && !state().hooks.has("execjob_launch")) return false;  // they run
  const bool updating = sisters_.waits_for_updates();
  if (updating && hosts_.were_all_there()) return false;  // they are there, and take their time
  if (!hosts_.all_are_there() || updating) return false;
  return !hosts_.release_what_hooks_want() && !hosts_.prunes_by_itself(may_have_started_) && !hosts_.has_too_few();
}

// What hooks made of the program is started when their word is on disk; if they ran in an earlier life it is there already.
begun program_start::start_after_hooks() {
  constexpr auto point = hook_point::launch;
  if (launching_ && (hooks_.is_open(point) || state().hooks.has("execjob_launch"))) {
    auto program = *std::exchange(launching_, {});
    mom::put_allocation(run_.order(), state().allocated, *run_.parts.settings, program);  // it may have less than when they were asked
    hand_over(program);
    return begun::yes;
  }
  if (hooks_.is_asked(point)) return begun::not_yet;  // its answer counts, also if the hook was turned off meanwhile
  const bool wanted = state().hooks.has("execjob_launch") || hooks_.wanted(point);
  if (wanted && !hooks_.ask_once(point)) return begun::not_yet;
  auto program = mom::order_for(run_.order(), state().allocated, *run_.parts.settings);
  if (script_) program.script_text = *script_;
  program.without_prologue = state().hooks.has("execjob_prologue") || hooks_.wanted(hook_point::prologue);
  program.without_epilogue = hooks_.wanted_at_epilogue();
  if (!checkpoint_.put_restart(program)) return begun::not_yet;
  if (!wanted) return hand_over(program), begun::yes;
  auto a = hooks_.at(point);
  a.program = std::move(program);
  hosts_.ask_anew();
  auto shown = a.job.failed;
  hooks_.ask(std::move(a), [this, shown = std::move(shown)](hook_point_passed& p) {
    if (p.stops_start()) return run_.command(model::hooks_done{std::move(p.runs), p.why()});
    launching_ = std::move(p.program);
    if (!p.runs.empty()) return take_word_of(p, shown);
    hooks_.pass(hook_point::launch);
  });
  return begun::not_yet;
}

void program_start::hand_over(const ports::run_order& program) {
  handed_over_ = true;
  run_.parts.processes->start(program);
  script_.reset();
}

}  // namespace annals::actors
