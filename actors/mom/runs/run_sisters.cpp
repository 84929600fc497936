#include "actors/mom/runs/run_sisters.hpp"

#include <algorithm>
#include <utility>

#include "events/model/limits.hpp"
#include "events/model/run/ticket.hpp"

namespace annals::actors {

using phase = model::run_phase;

run_sisters::contact& run_sisters::contact_of(const std::string& host) {
  const auto [at, fresh] = contacts_.try_emplace(host);
  if (!fresh) return at->second;
  at->second.away_since_ns = run_.now_ns();
  const auto* s = state().sister(host);
  if (s) run_.self->send(run_.mom, want_sister{host, s->address, s->port, run_.key});
  return at->second;
}

bool run_sisters::on_link(const sister_link& l) {
  auto& c = contact_of(l.host);
  if (c.open == l.open) return false;
  c.open = l.open;
  c.has_it = false;
  (l.open ? c.linked_ns : c.away_since_ns) = run_.now_ns();
  return true;
}

void run_sisters::tell_again(const std::string& host) const {
  // Also when the state does not call it away: that may be on its way to the log.
  if (state().sister(host)) run_.command(model::sister_back{host, run_.now_ns()});
  if (state().phase != phase::started || (!state().suspended && state().suspended_s == 0)) return;
  using what = schema::SignalPart::What;
  signal_on(host, state().suspended ? SIGSTOP : SIGCONT, state().suspended ? what::SUSPEND : what::RESUME);
}

void run_sisters::on_joined(const std::string& host) {
  contact_of(host).has_it = true;
  // The tasks beside the program join when there is one; the job may be suspended by then.
  if (state().suspended) signal_on(host, SIGSTOP, schema::SignalPart::What::SUSPEND);
  run_.command(model::sister_joined{host});
}

void run_sisters::on_updated(const std::string& host, std::uint32_t number) {
  auto& updated = contact_of(host).updated;
  updated = std::max(updated, number);
}

// Files and hooks may have taken longer than the ticket lasts that came with the order. Once the program runs only this host's
// own part is asked, which needs no ticket. A sister refuses an exec_vnode that is not the ticket's: nothing of the run may be
// released while sisters are asked.
begun run_sisters::ask(const std::string& host) const {
  const bool lapsed = run_.now_ns() >= model::ticket_good_until_ns(state().ticket());
  if (lapsed && state().phase == phase::received) return run_.command(model::ticket_lapsed{}), begun::not_yet;
  const auto* sister = state().sister(host);
  run_.tell_sister(host, [&](auto m) {
    auto j = m.initJoin();
    j.setTicket(state().ticket());
    run_.ordered.fill_for_host(state(), j.initOrder());
    j.setNode(sister->node);
    j.setUsageIntervalSeconds(run_.usage_interval_s);
  });
  return begun::yes;
}

void run_sisters::ask_prologue(const std::string& host) const {
  run_.tell_sister(host, [&](auto m) { run_.fill_ref(m.initPrologue()); });
}

void run_sisters::tell_update(const std::string& host) const { run_.to_sister(host, run_.ordered.update()); }

// Its MoM may have lost its log, and the job with it.
void run_sisters::keep(const std::string& host) {
  if (!contact_of(host).has_it) run_.tell_sister(host, [&](auto m) { run_.fill_ref(m.initStillThere()); });
}

bool run_sisters::hosts_are_updated() {
  return std::ranges::all_of(state().sisters, [&](const model::sister_state& s) {
    return s.own() || s.dropped() || s.phase != model::sister_phase::joined || contact_of(s.host).updated >= state().reductions;
  });
}

bool run_sisters::waits_for_updates() {
  if (state().reductions == 0 || hosts_are_updated()) return false;
  const auto reduced = std::ranges::find_if(state().steps.rbegin(), state().steps.rend(),
                                            [](const auto& step) { return step.get().getStep().isAllocationReduced(); });
  if (!std::exchange(update_wait_told_, true)) run_.lines().launch_delay(": waiting on job update acks from sister moms");
  const auto waited_ns = run_.now_ns() - reduced->get().getAtNs();
  if (waited_ns >= 0 && waited_ns < limits::update_wait_s * 1'000'000'000) return true;  // less than nothing: the clock was set back
  note_updates_missed();
  return false;
}

void run_sisters::note_updates_missed() {
  if (!std::exchange(update_end_told_, true))
    run_.note(log_event::debug2, "not all job updates to sister moms completed");
}

void run_sisters::release(const std::string& host) const {
  std::string why(model::goes_on_without_host);
  if (state().phase == phase::refused) why = model::start_failed_elsewhere;
  else if (state().over()) why = "the run is over";
  run_.tell_sister(host, [&](auto m) {
    run_.fill_ref(m.initLeave().initRef());
    m.getLeave().setWhy(why);
  });
}

void run_sisters::tell_kill(const model::kill_on& kill) const {
  run_.tell_sister(kill.host, [&](auto m) {
    auto s = m.initSignal();
    run_.fill_ref(s.initRef());
    s.setId(kill.id);
    s.setSignal(kill.signal == "SIGKILL" ? SIGKILL : SIGTERM);
  });
}

void run_sisters::signal_everywhere(int signal, schema::SignalPart::What what) const {
  run_.parts.processes->signal(run_.key, signal);
  for (const auto& s : state().sisters) signal_on(s.host, signal, what);
}

void run_sisters::signal_on(const std::string& host, int signal, schema::SignalPart::What what) const {
  run_.tell_sister(host, [&](auto m) {
    run_.fill_ref(m.initSignal().initRef());
    m.getSignal().setSignal(signal);
    m.getSignal().setWhat(what);
  });
}

void run_sisters::look(std::int64_t now_ns) const {
  constexpr std::int64_t moment_ns = 1'000'000'000;
  for (const auto& [host, c] : contacts_)
    if (const auto* s = state().sister(host); s && s->phase != model::sister_phase::left && s->away_since_ns == 0 && !c.open &&
                                              now_ns - c.away_since_ns >= moment_ns)
      run_.command(model::sister_away{host, c.away_since_ns});
}

}  // namespace annals::actors
