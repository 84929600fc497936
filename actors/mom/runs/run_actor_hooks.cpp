// Where a run waits for hooks of its host. Those before the program are written into the run's stream before it goes on, so
// that a restart does not run them again; the others may run again, as PBS's do. docs/design/0023-hooks.md.
#include <csignal>

#include "actors/mom/hooks/hook_objects.hpp"
#include "actors/mom/hooks/hook_usage.hpp"
#include "actors/mom/runs/run_actor.hpp"
#include "events/model/exit_codes.hpp"
#include "hooks-runtime/chain/release.hpp"

namespace annals::actors {

at_hook_point run_actor::at(hook_point point) {
  at_hook_point a;
  a.who = caf::actor(this);
  a.point = point;
  a.job.started = order_now();
  a.job.allocated = state().allocated;
  a.job.before = state().hooks.runs;
  a.job.used = state().hook_usage;
  for (const auto& s : state().sisters) {
    if (s.phase == model::sister_phase::failed) a.job.failed.push_back(s.host);
    if (s.phase == model::sister_phase::joined) a.job.succeeded.push_back(s.host);
  }
  a.job.session = state().session;
  a.job.jobdir = state().jobdir;
  return a;
}

bool run_actor::hooks_allow(hook_point point) {
  const std::string event = point == hook_point::begin ? "execjob_begin" : "execjob_prologue";
  if (state().hooks.has(event) || hooks_.is_open(point)) return true;
  if (wanted_release_) {
    if (all_are_there()) release_what_hooks_want();
    return false;
  }
  if (!hooks_.wanted(point)) return hooks_.open(point), true;
  if (!hooks_.ask_once(point)) return false;
  auto asked = at(point);
  hooks_.ask(asked, [this, point, shown = asked.job.failed](hook_point_passed& p) {
    if (p.stops_start()) return command(model::hooks_done{std::move(p.runs), p.why()});
    if (!p.runs.empty()) return take_word_of(p, shown);
    hooks_.open(point);
    reconcile();
  });
  return false;
}

// Hooks have had their say. Their release waits until the hosts that stay are known to be there.
void run_actor::take_word_of(hook_point_passed& p, std::vector<std::string> shown) {
  model::hooks_done done{std::move(p.runs), {}, std::move(p.reduced), to_keep(std::move(p.used))};
  if (!done.reduced || may_have_started_) return command(std::move(done));
  ++waits_before_program_;
  wanted_release_ = {std::move(done), p.reduced_by_select, std::move(shown)};
  reconcile();
}

// Plans the release that leaves the run with what the select says, and with nothing on the hosts that have failed.
std::optional<model::planned_release> run_actor::planned(const std::string& keep_select, const std::string& by,
                                                         const std::vector<std::string>& failed, const hooks::line_taker& tell) {
  const auto asked =
      schema::make<hooks::protocol::ReleaseNodes>([&](hooks::protocol::ReleaseNodes::Builder r) { r.setKeepSelect(keep_select); });
  const auto shown = hooks::shown_by(job_object(at(hook_point::launch)));
  return hooks::plan_release(asked.get(), {state().allocated, {{}, failed}, shown, model::words_in(order())}, by, tell);
}

namespace {

bool asks_rjselect(schema::StartRun::Reader order) {
  for (auto a : order.getAttributes())
    if (schema::text(a.getResource()) == "rjselect") return true;
  return false;
}

}  // namespace

// RS-28, RS-29, RS-106. Planned at each look until it is on disk; of the orders that come of it one counts.
bool run_actor::prunes_by_itself() {
  const bool hooks_came = hooks_.is_asked(hook_point::launch) || state().hooks.has("execjob_launch");
  if (hooks_came || !asks_rjselect(order()) || state().start_is_unwanted() || !state().allocated.select().empty() ||
      state().tolerates == model::tolerance::none)
    return false;
  const auto shown = hooks::shown_by(job_object(at(hook_point::launch)));
  const auto requested = shown.resources.find("select_requested");
  if (!model::has_rjselect(shown.resources) || requested == shown.resources.end()) return false;
  const bool told = std::exchange(prune_told_, true);
  const auto tell = [&](std::uint32_t level, const std::string& line) {
    if (!told) parts_.note(level, state().job, line);
  };
  auto left = planned(requested->second, "rjselect", failed_hosts(), tell);
  if (!left && may_have_started_) {  // with all that it has, when no host had failed yet
    const auto whole = planned(requested->second, "rjselect", {}, [](auto, const auto&) {});
    if (whole && whole->change.released.empty()) return false;
  }
  if (!left) return give_up_start("what was asked for is not there without hosts that failed"), true;
  if (left->change.released.empty()) return false;
  command(model::hooks_done{{}, {}, std::move(left->change)});
  return true;
}

// What hooks made of the program is started when their word is on disk; if they ran in an earlier life it is there already.
begun run_actor::start_after_hooks() {
  constexpr auto point = hook_point::launch;
  if (launching_ && (hooks_.is_open(point) || state().hooks.has("execjob_launch"))) {
    auto program = *std::exchange(launching_, {});
    mom::put_allocation(order(), state().allocated, *parts_.settings, program);  // it may have less than when they were asked
    hand_over(program);
    return begun::yes;
  }
  if (hooks_.is_asked(point)) return begun::not_yet;  // its answer counts, also if the hook was turned off meanwhile
  const bool wanted = state().hooks.has("execjob_launch") || hooks_.wanted(point);
  if (wanted && !hooks_.ask_once(point)) return begun::not_yet;
  auto program = mom::order_for(order(), state().allocated, *parts_.settings);
  if (script_) program.script_text = *script_;
  program.without_prologue = state().hooks.has("execjob_prologue") || hooks_.wanted(hook_point::prologue);
  program.without_epilogue = hooks_.wanted_at_epilogue();
  if (!put_restart(program)) return begun::not_yet;
  if (!wanted) return hand_over(program), begun::yes;
  auto a = at(point);
  a.program = std::move(program);
  ++waits_before_program_;
  auto shown = a.job.failed;
  hooks_.ask(std::move(a), [this, shown = std::move(shown)](hook_point_passed& p) {
    if (p.stops_start()) return command(model::hooks_done{std::move(p.runs), p.why()});
    launching_ = std::move(p.program);
    if (!p.runs.empty()) return take_word_of(p, shown);
    hooks_.open(hook_point::launch);
    reconcile();
  });
  return begun::not_yet;
}

void run_actor::kill_if_allowed(const model::kill_program& request) {
  const auto kill = [this, request] {
    do_kill(request.signal, request.why);
    when_acted(model::kill_sent{request.id, request.signal});
  };
  if (!state().order || !hooks_.wanted(hook_point::preterm)) return kill();
  hooks_.ask(at(hook_point::preterm), [kill](hook_point_passed& p) {
    if (!p.refused) kill();
  });
}

void run_actor::suspend_run() {
  signal_everywhere(SIGSTOP, schema::SignalPart::What::SUSPEND);
  if (hooks_.wanted(hook_point::suspended)) hooks_.ask(at(hook_point::suspended), [](hook_point_passed&) {});
}

// A hook may keep it stopped: the server hears that from the hook's report, and suspends the job again.
void run_actor::resume_run(std::uint64_t request) {
  const auto go_on = [this, request](hook_point_passed& p) {
    if (!p.refused) signal_everywhere(SIGCONT, schema::SignalPart::What::RESUME);
    when_acted(model::request_carried_out{request});
  };
  hook_point_passed nobody_minds;
  if (!hooks_.wanted(hook_point::resuming)) return go_on(nobody_minds);
  hooks_.ask(at(hook_point::resuming), go_on);
}

// The end is told, and the output placed, behind them: what they set of resources_used is told with it.
bool run_actor::closing_hooks_are_over() {
  constexpr auto point = hook_point::ended;
  if (state().phase != model::run_phase::ended || state().closing_hooks_used || hooks_.is_open(point)) return true;
  if (hooks_.is_asked(point)) return false;
  if (!hooks_.wanted(point)) return true;
  hooks_.ask_once(point);
  auto a = at(point);
  a.exit_status = state().exit_status;
  a.usage = state().usage;
  hooks_.ask(std::move(a), [this](hook_point_passed& p) {
    command(model::hooks_used{to_keep(std::exchange(p.used, {})), true}, tell_when_settled(caf::actor(this), point));
  });
  return false;
}

std::vector<model::usage_change> run_actor::to_keep(std::vector<model::usage_change> set_by_hooks) const {
  return usage_to_keep(parts_, state().job, state().hook_usage, std::move(set_by_hooks));
}

void run_actor::keep(std::vector<model::usage_change> set_by_hooks) {
  if (auto changes = to_keep(std::move(set_by_hooks)); !changes.empty()) command(model::hooks_used{std::move(changes)});
}

// A start that failed is told when its hooks have run.
bool run_actor::abort_hooks_are_over() {
  if (!state().order || !hooks_.wanted(hook_point::aborted) || hooks_.is_open(hook_point::aborted)) return true;
  if (hooks_.ask_once(hook_point::aborted))
    hooks_.ask(at(hook_point::aborted), [this](hook_point_passed&) {
      hooks_.open(hook_point::aborted);
      reconcile();
    });
  return false;
}

void run_actor::tell_periodic_hooks(const model::usage_set& usage) {
  if (hooks_.wanted_by_the_clock()) send(mom_, job_at_work{caf::actor(this), key_, at(hook_point::begin).job, usage});
}

}  // namespace annals::actors
