#include "actors/mom/runs/start_hosts.hpp"

#include <algorithm>
#include <utility>

#include "actors/mom/hooks/hook_objects.hpp"
#include "events/model/exit_codes.hpp"
#include "events/values/exec_host.hpp"

namespace annals::actors {

namespace {

bool asks_rjselect(schema::StartRun::Reader order) {
  for (auto a : order.getAttributes())
    if (schema::text(a.getResource()) == "rjselect") return true;
  return false;
}

}  // namespace

// Each of them is asked anew when one has failed, some were let go, or hooks have run.
std::uint64_t start_hosts::moment() const {
  const auto failed = static_cast<std::uint64_t>(std::ranges::count_if(
      state().sisters, [](const model::sister_state& s) { return s.phase == model::sister_phase::failed && !s.dropped(); }));
  return (waits_before_program_ << 48U) + (std::uint64_t{state().reductions} << 24U) + failed;
}

std::vector<std::string> start_hosts::failed_hosts() const {
  std::vector<std::string> failed;
  for (const auto& s : state().sisters)
    if (s.phase == model::sister_phase::failed) failed.push_back(s.host);
  return failed;
}

bool start_hosts::all_are_there() {
  std::vector<called_host> hosts;
  for (const auto& s : state().sisters) {
    if (s.own() || s.dropped() || s.phase != model::sister_phase::joined) continue;
    const auto& c = sisters_.contact_of(s.host);
    hosts.push_back({s.host, c.open ? c.linked_ns : 0, c.linked_ns != 0, c.updated < state().reductions});
  }
  auto looked = roll_call_.look(moment(), hosts, run_.now_ns());
  for (const auto& host : looked.ask)
    run_.tell_sister(host, [&](auto m) {
      run_.fill_ref(m.initPresent().initRef());
      m.getPresent().setQuestion(roll_call_.question());
    });
  if (!looked.absent.empty()) {
    if (!sisters_.hosts_are_updated()) sisters_.note_updates_missed();
    run_.command(model::sisters_absent{std::move(looked.absent), "the host did not answer before the program"});
  }
  if (looked.again_ns != 0) run_.look_again_at(looked.again_ns);
  return looked.complete;
}

void start_hosts::want_release(wanted_release wanted) {
  ask_anew();
  wanted_release_ = std::move(wanted);
  run_.reconcile();
}

// One of the hosts that would stay has failed since the hooks were asked: others stay, if that will do.
bool start_hosts::release_what_hooks_want() {
  if (!wanted_release_) return false;
  auto wanted = *std::exchange(wanted_release_, {});
  auto& change = wanted.done.reduced;
  const auto stays = values::parse_exec_host(change->exec_host).value_or(values::exec_host_spec{});
  const auto failed = failed_hosts();
  const bool fits = std::ranges::none_of(failed, [&](const std::string& host) {
    return std::ranges::count(wanted.shown, host) == 0 && std::ranges::count(stays, host, &values::host_slot::host) > 0;
  });
  if (fits) return run_.command(std::move(wanted.done)), true;
  const auto tell = [this](std::uint32_t level, const std::string& line) { run_.note(level, line); };
  auto other = wanted.by_select ? planned(change->keep_select, change->by, failed, tell) : std::nullopt;
  if (!other) return give_up_start("what hooks would keep is not there without hosts that failed", std::move(wanted.done.runs)), true;
  if (other->change.released.empty()) change.reset();
  else change = std::move(other->change);
  return run_.command(std::move(wanted.done)), true;
}

// Plans the release that leaves the run with what the select says, and with nothing on the hosts that have failed.
std::optional<model::planned_release> start_hosts::planned(const std::string& keep_select, const std::string& by,
                                                           const std::vector<std::string>& failed, const hooks::line_taker& tell) const {
  const auto asked =
      schema::make<hooks::protocol::ReleaseNodes>([&](hooks::protocol::ReleaseNodes::Builder r) { r.setKeepSelect(keep_select); });
  const auto shown = hooks::shown_by(job_object(hooks_.at(hook_point::launch)));
  return hooks::plan_release(asked.get(), {state().allocated, {{}, failed}, shown, model::words_in(run_.order())}, by, tell);
}

// RS-28, RS-29, RS-106. Planned at each look until it is on disk; of the orders that come of it one counts.
bool start_hosts::prunes_by_itself(bool may_have_started) {
  const bool hooks_came = hooks_.is_asked(hook_point::launch) || state().hooks.has("execjob_launch");
  if (hooks_came || !asks_rjselect(run_.order()) || state().start_is_unwanted() || !state().allocated.select().empty() ||
      state().tolerates == model::tolerance::none)
    return false;
  const auto shown = hooks::shown_by(job_object(hooks_.at(hook_point::launch)));
  const auto requested = shown.resources.find("select_requested");
  if (!model::has_rjselect(shown.resources) || requested == shown.resources.end()) return false;
  const bool told = std::exchange(prune_told_, true);
  const auto tell = [&](std::uint32_t level, const std::string& line) {
    if (!told) run_.note(level, line);
  };
  auto left = planned(requested->second, "rjselect", failed_hosts(), tell);
  if (!left && may_have_started) {  // with all that it has, when no host had failed yet
    const auto whole = planned(requested->second, "rjselect", {}, [](auto, const auto&) {});
    if (whole && whole->change.released.empty()) return false;
  }
  if (!left) return give_up_start("what was asked for is not there without hosts that failed"), true;
  if (left->change.released.empty()) return false;
  run_.command(model::hooks_done{{}, {}, std::move(left->change)});
  return true;
}

// A host that was to stay has failed since others were let go; or of a job with spare hosts so many that what was asked for is not there.
// Without spare hosts a job that bears failures starts with those that it has, as PBS has it.
bool start_hosts::has_too_few() {
  const auto is_missed = [](const model::sister_state& s) {
    return s.phase == model::sister_phase::failed && !s.own() && !s.dropped() && !s.stays_failed;
  };
  if (std::ranges::none_of(state().sisters, is_missed)) return false;
  if (state().reductions == 0) {
    const auto shown = hooks::shown_by(job_object(hooks_.at(hook_point::launch)));
    const auto requested = shown.resources.find("select_requested");
    if (requested == shown.resources.end()) return false;
    if (planned(requested->second, "rjselect", failed_hosts(), [](auto, const auto&) {})) return false;
  }
  give_up_start("what was asked for is not there without hosts that failed");
  return true;
}

void start_hosts::give_up_start(const std::string& why, std::vector<schema::sealed<schema::HookRun>> runs) {
  if (!std::exchange(given_up_told_, true))  // RS-106
    run_.note(log_event::error, run_.lines().asks_spare_chunks() ? "job not started, Retry 3" : "job not started: " + why);
  run_.command(model::hooks_done{std::move(runs), ports::start_failed{model::exit_retry, why}, {}});
}

}  // namespace annals::actors
