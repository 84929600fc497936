// A run's other hosts: the primary's half of the talk with its sisters, and what the server is told of it.
// docs/design/0020-jobs-across-hosts.md.
#include <csignal>

#include <algorithm>
#include <utility>

#include "actors/mom/runs/run_actor.hpp"
#include "events/model/limits.hpp"
#include "events/model/run/ticket.hpp"

namespace annals::actors {

using phase = model::run_phase;
using which = schema::Event::Which;

// The first time, the link to it is asked for.
run_actor::contact& run_actor::contact_of(const std::string& host) {
  const auto [at, fresh] = contacts_.try_emplace(host);
  if (!fresh) return at->second;
  at->second.away_since_ns = parts_.base.clock->now_ns();
  at->second.last.host = host;
  const auto* s = state().sister(host);
  if (s && !s->usage.host.empty()) at->second.last = s->usage;  // told to an earlier life of this MoM
  if (s) send(mom_, want_sister{host, s->address, s->port, key_});
  return at->second;
}

void run_actor::on_sister_link(const sister_link& l) {
  auto& c = contact_of(l.host);
  if (c.open == l.open) return;
  c.open = l.open;
  c.has_it = false;
  // What was asked over the old link may have been lost.
  effects().again([&](const model::run_effect& e) { return model::sister_of(state(), e) == l.host; });
  if (l.open) {
    c.linked_ns = parts_.base.clock->now_ns();
    // Also when the state does not call it away: that may be on its way to the log.
    if (state().sister(l.host)) command(model::sister_back{l.host, parts_.base.clock->now_ns()});
    tell_whether_suspended(l.host);
    return reconcile();
  }
  c.away_since_ns = parts_.base.clock->now_ns();
  forget_askers_of(l.host);
  fail_questions_to(l.host);
  no_longer_asked(l.host);
  if (is_yet_to_start() || wanted_release_) reconcile();  // it is not there when that is asked
  const auto* s = state().sister(l.host);
  if (!state().active() || (s && s->dropped())) return;
  lines().lost_link(l.host);
}

void run_actor::tell_whether_suspended(const std::string& host) {
  if (state().phase != phase::started || (!state().suspended && state().suspended_s == 0)) return;
  using what = schema::SignalPart::What;
  signal_on(host, state().suspended ? SIGSTOP : SIGCONT, state().suspended ? what::SUSPEND : what::RESUME);
}

// Files and hooks may have taken longer than the ticket lasts that came with the order. Once the program runs only this host's
// own part is asked, which needs no ticket. A sister refuses an exec_vnode that is not the ticket's: nothing of the run may be
// released while sisters are asked.
begun run_actor::ask(const std::string& host) {
  const bool lapsed = parts_.base.clock->now_ns() >= model::ticket_good_until_ns(state().ticket());
  if (lapsed && state().phase == phase::received) return command(model::ticket_lapsed{}), begun::not_yet;
  const auto* sister = state().sister(host);
  tell_sister(host, [&](auto m) {
    auto j = m.initJoin();
    j.setTicket(state().ticket());
    current_order_.fill_for_host(state(), j.initOrder());
    j.setNode(sister->node);
    j.setUsageIntervalSeconds(usage_interval_s_);
  });
  return begun::yes;
}

bool run_actor::hosts_are_updated() {
  return std::ranges::all_of(state().sisters, [&](const model::sister_state& s) {
    return s.own() || s.dropped() || s.phase != model::sister_phase::joined || contact_of(s.host).updated >= state().reductions;
  });
}

// RS-97: hosts that stay are waited for as long as PBS does; one that is late is told in the end, and before any task is started there.
bool run_actor::waits_for_updates() {
  if (state().reductions == 0 || hosts_are_updated()) return false;
  const auto reduced = std::ranges::find_if(state().steps.rbegin(), state().steps.rend(),
                                            [](const auto& step) { return step.get().getStep().isAllocationReduced(); });
  if (!std::exchange(update_wait_told_, true)) lines().launch_delay(": waiting on job update acks from sister moms");
  const auto waited_ns = parts_.base.clock->now_ns() - reduced->get().getAtNs();
  if (waited_ns >= 0 && waited_ns < limits::update_wait_s * 1'000'000'000) return true;  // less than nothing: the clock was set back
  note_updates_missed();
  return false;
}

void run_actor::note_updates_missed() {
  if (!std::exchange(update_end_told_, true))
    parts_.note(log_event::debug2, state().job, "not all job updates to sister moms completed");
}

void run_actor::release(const std::string& host) {
  std::string why(model::goes_on_without_host);
  if (state().phase == phase::refused) why = model::start_failed_elsewhere;
  else if (state().over()) why = "the run is over";
  tell_sister(host, [&](auto m) {
    fill_ref(m.initLeave().initRef());
    m.getLeave().setWhy(why);
  });
}

void run_actor::tell_kill(const model::kill_on& kill) {
  tell_sister(kill.host, [&](auto m) {
    auto s = m.initSignal();
    fill_ref(s.initRef());
    s.setId(kill.id);
    s.setSignal(kill.signal == "SIGKILL" ? SIGKILL : SIGTERM);
  });
}

void run_actor::signal_everywhere(int signal, schema::SignalPart::What what) {
  parts_.processes->signal(key_, signal);
  for (const auto& s : state().sisters) signal_on(s.host, signal, what);
}

void run_actor::signal_on(const std::string& host, int signal, schema::SignalPart::What what) {
  tell_sister(host, [&](auto m) {
    fill_ref(m.initSignal().initRef());
    m.getSignal().setSignal(signal);
    m.getSignal().setWhat(what);
  });
}

void run_actor::on_sister_said(const schema::sealed<schema::FromSister>& message, const std::string& host) {
  const auto* s = state().sister(host);
  if (!s) return;  // another run's host has nothing to say here
  const auto m = message.get();
  const bool has_left = s->phase == model::sister_phase::left;
  // A host that the run goes on without leaves when its tasks' output and ends have come.
  const bool last_words = m.isLeft() || m.isRefused() || (!has_left && (m.isOutput() || m.isTaskState()));
  if ((has_left || s->dropped()) && !last_words) return;
  switch (m.which()) {
    case schema::FromSister::JOINED:
      contact_of(host).has_it = true;
      // The tasks beside the program join when there is one; the job may be suspended by then.
      if (state().suspended) signal_on(host, SIGSTOP, schema::SignalPart::What::SUSPEND);
      return command(model::sister_joined{host});
    case schema::FromSister::REFUSED:
      if (is_yet_to_start() && s->phase == model::sister_phase::joined && !s->dropped())
        return lose_before_start(host, schema::str(m.getRefused().getText()));
      return command(model::sister_refused{host, m.getRefused().getCode(), schema::str(m.getRefused().getText())});
    case schema::FromSister::PROLOGUE_OVER:
      return command(model::prologue_over{host, m.getPrologueOver().getCode(), schema::str(m.getPrologueOver().getText())});
    case schema::FromSister::UPDATED: {
      const auto number = m.getUpdated().getNumber();
      contact_of(host).updated = std::max(contact_of(host).updated, number);
      effects().answered(id_of(model::run_effect(model::update_sister{host, number})));
      const bool last_one = number >= state().reductions && roll_call_.on_taken_in(host);
      if (last_one || hosts_are_updated()) reconcile();  // nothing waits for one of many
      return;
    }
    case schema::FromSister::PRESENT:
      if (roll_call_.on_answer(host, m.getPresent().getQuestion())) reconcile();
      return;
    case schema::FromSister::LEFT:
      forget_askers_of(host);
      if (m.getLeft().getHasUsage()) take_usage(contact_of(host), host, m.getLeft().getUsage());
      no_longer_asked(host);
      if (is_yet_to_start() && s->phase == model::sister_phase::joined && !s->dropped())
        return lose_before_start(host, "the host no longer has the job");
      return command(model::sister_left{contact_of(host).last});
    case schema::FromSister::USAGE:
      take_usage(contact_of(host), host, m.getUsage().getUsage());
      if (m.getUsage().getQuestion() == usage_question_.number) no_longer_asked(host);
      return;
    case schema::FromSister::TASK_STATE: return on_task_state(m.getTaskState(), host);
    case schema::FromSister::TASK_SIGNALLED: return on_task_signalled(m.getTaskSignalled());
    case schema::FromSister::ASK: return on_ask(m.getAsk(), host);
    case schema::FromSister::OUTPUT: return on_output(m.getOutput(), host);
    case schema::FromSister::OUTPUT_TAKEN:
      return on_output_taken({m.getOutputTaken().getTask().getTask(), m.getOutputTaken().getErrors(), m.getOutputTaken().getUpTo()});
    case schema::FromSister::DESCRIBED: return on_described(m.getDescribed());
  }
}

// -- time --------------------------------------------------------------------------------------------------------------------

// Unless it is set, what execjob_begin hooks may take on a sister (RS-47).
std::int64_t run_actor::join_alarm_s() const {
  if (const auto set = parts_.settings->config.sister_join_job_alarm_s) return set;
  return hooks_.begin_alarms_s() > 0 ? hooks_.begin_alarms_s() : mom::sister_join_job_alarm_default_s;
}

// A job that does not bear failures waits a moment longer than hooks may take: one that is killed at its alarm is heard of after
// it, and a short $job_launch_delay is meant for jobs that go on without the host (RS-55, RS-57).
std::int64_t run_actor::launch_delay_s() const {
  constexpr std::int64_t moment_s = 5;
  const std::int64_t hooks_s = hooks_.prologue_alarms_s() > 0 ? hooks_.prologue_alarms_s() : mom::job_launch_delay_default_s;
  if (!state().bears_failures()) return std::max<std::int64_t>(hooks_s, mom::job_launch_delay_default_s) + moment_s;
  const auto set = parts_.settings->config.job_launch_delay_s;
  return set > 0 ? set : hooks_s;
}

// While the program runs the MoM of a sister may be restarted in peace.
model::run_waits run_actor::waits() const { return {join_alarm_s(), parts_.settings->config.max_check_poll_s, launch_delay_s()}; }

// A link that breaks, or does not come, for less than a second is no event.
void run_actor::look_for_sisters(std::int64_t now_ns) {
  constexpr std::int64_t moment_ns = 1'000'000'000;
  for (const auto& [host, c] : contacts_)
    if (const auto* s = state().sister(host); s && s->phase != model::sister_phase::left && s->away_since_ns == 0 && !c.open &&
                                              now_ns - c.away_since_ns >= moment_ns)
      command(model::sister_away{host, c.away_since_ns});
}

}  // namespace annals::actors
