// The hosts that a run would keep, before its program: they are asked whether they are there, before others are let go and before the
// program is started. It never starts with fewer of them than it was promised. docs/design/0037-failures-that-a-job-bears.md.
#include <algorithm>

#include "actors/mom/hooks/hook_objects.hpp"
#include "actors/mom/runs/run_actor.hpp"
#include "events/model/exit_codes.hpp"
#include "events/values/exec_host.hpp"

namespace annals::actors {

using phase = model::run_phase;

// Each of them is asked anew when one has failed, some were let go, or hooks have run.
std::uint64_t run_actor::moment() const {
  const auto failed = static_cast<std::uint64_t>(std::ranges::count_if(
      state().sisters, [](const model::sister_state& s) { return s.phase == model::sister_phase::failed && !s.dropped(); }));
  return (waits_before_program_ << 48U) + (std::uint64_t{state().reductions} << 24U) + failed;
}

std::vector<std::string> run_actor::failed_hosts() const {
  std::vector<std::string> failed;
  for (const auto& s : state().sisters)
    if (s.phase == model::sister_phase::failed) failed.push_back(s.host);
  return failed;
}

bool run_actor::all_are_there() {
  std::vector<called_host> hosts;
  for (const auto& s : state().sisters) {
    if (s.own() || s.dropped() || s.phase != model::sister_phase::joined) continue;
    const auto& c = contact_of(s.host);
    hosts.push_back({s.host, c.open ? c.linked_ns : 0, c.linked_ns != 0, c.updated < state().reductions});
  }
  auto looked = roll_call_.look(moment(), hosts, parts_.base.clock->now_ns());
  for (const auto& host : looked.ask)
    tell_sister(host, [&](auto m) {
      fill_ref(m.initPresent().initRef());
      m.getPresent().setQuestion(roll_call_.question());
    });
  if (!looked.absent.empty()) {
    if (!hosts_are_updated()) note_updates_missed();
    command(model::sisters_absent{std::move(looked.absent), "the host did not answer before the program"});
  }
  if (looked.again_ns != 0) look_again_at(looked.again_ns);
  return looked.complete;
}

bool run_actor::has_its_hosts() {
  if (hooks_.is_asked(hook_point::launch) && !launching_ && !state().hooks.has("execjob_launch")) return false;  // they run
  const bool updating = waits_for_updates();
  if (updating && roll_call_.was_complete(moment())) return false;  // they are there, and take their time
  if (!all_are_there() || updating) return false;
  return !release_what_hooks_want() && !prunes_by_itself() && !has_too_few();
}

// One of the hosts that would stay has failed since the hooks were asked: others stay, if that will do.
bool run_actor::release_what_hooks_want() {
  if (!wanted_release_) return false;
  auto wanted = *std::exchange(wanted_release_, {});
  auto& change = wanted.done.reduced;
  const auto stays = values::parse_exec_host(change->exec_host).value_or(values::exec_host_spec{});
  const auto failed = failed_hosts();
  const bool fits = std::ranges::none_of(failed, [&](const std::string& host) {
    return std::ranges::count(wanted.shown, host) == 0 && std::ranges::count(stays, host, &values::host_slot::host) > 0;
  });
  if (fits) return command(std::move(wanted.done)), true;
  const auto tell = [this](std::uint32_t level, const std::string& line) { parts_.note(level, state().job, line); };
  auto other = wanted.by_select ? planned(change->keep_select, change->by, failed, tell) : std::nullopt;
  if (!other) return give_up_start("what hooks would keep is not there without hosts that failed", std::move(wanted.done.runs)), true;
  if (other->change.released.empty()) change.reset();
  else change = std::move(other->change);
  return command(std::move(wanted.done)), true;
}

// A host that was to stay has failed since others were let go; or of a job with spare hosts so many that what was asked for is not there.
// Without spare hosts a job that bears failures starts with those that it has, as PBS has it.
bool run_actor::has_too_few() {
  const auto is_missed = [](const model::sister_state& s) {
    return s.phase == model::sister_phase::failed && !s.own() && !s.dropped() && !s.stays_failed;
  };
  if (std::ranges::none_of(state().sisters, is_missed)) return false;
  if (state().reductions == 0) {
    const auto shown = hooks::shown_by(job_object(at(hook_point::launch)));
    const auto requested = shown.resources.find("select_requested");
    if (requested == shown.resources.end()) return false;
    if (planned(requested->second, "rjselect", failed_hosts(), [](auto, const auto&) {})) return false;
  }
  give_up_start("what was asked for is not there without hosts that failed");
  return true;
}

void run_actor::give_up_start(const std::string& why, std::vector<schema::sealed<schema::HookRun>> runs) {
  if (!std::exchange(given_up_told_, true))  // RS-106
    parts_.note(log_event::error, state().job, lines().asks_spare_chunks() ? "job not started, Retry 3" : "job not started: " + why);
  command(model::hooks_done{std::move(runs), ports::start_failed{model::exit_retry, why}, {}});
}

void run_actor::hand_over(const ports::run_order& program) {
  handed_over_ = true;
  parts_.processes->start(program);
  script_.reset();
}

}  // namespace annals::actors
