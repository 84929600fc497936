// A run's other hosts: the primary's half of the talk with its sisters, and what the server is told of it.
// docs/design/0020-jobs-across-hosts.md.
#include <csignal>

#include <algorithm>

#include "actors/mom/run_actor.hpp"
#include "events/model/limits.hpp"
#include "events/model/ticket.hpp"
#include "events/values/duration.hpp"

namespace annals::actors {

using phase = model::run_phase;
using which = schema::Event::Which;

// The first time, the link to it is asked for.
run_actor::contact& run_actor::contact_of(const std::string& host) {
  const auto [at, fresh] = contacts_.try_emplace(host);
  if (!fresh) return at->second;
  at->second.away_since_ns = parts_.shell.clock->now_ns();
  at->second.last.host = host;
  const auto* s = state().sister(host);
  if (s && !s->usage.host.empty()) at->second.last = s->usage;      // told to an earlier life of this MoM
  if (s) send(mom_, want_sister{host, s->address, s->port, key_});
  return at->second;
}

void run_actor::on_sister_link(const sister_link& l) {
  auto& c = contact_of(l.host);
  if (c.open == l.open) return;
  c.open = l.open;
  c.signalled = 0;
  if (l.open) return pay_sister(l.host);
  c.away_since_ns = parts_.shell.clock->now_ns();
  forget_askers_of(l.host);
  fail_questions_to(l.host);
  if (state().active())
    parts_.note(log_event::error, state().job, "im_eof, lost communication with " + l.host + ", not killing job yet");
}

void run_actor::pay_sister(const std::string& host) {
  // It may have missed either.
  if (state().phase == phase::started && (state().suspended || state().suspended_s > 0)) {
    using what = schema::SignalPart::What;
    signal_on(host, state().suspended ? SIGSTOP : SIGCONT, state().suspended ? what::SUSPEND : what::RESUME);
  }
  for (const auto& effect : model::pending_effects(state())) {
    if (const auto* a = std::get_if<model::ask_sister>(&effect); a && a->host == host) ask(host);
    // Its MoM may have lost its log, and the job with it.
    if (const auto* k = std::get_if<model::keep_sister>(&effect); k && k->host == host) tell_sister(host, [&](auto m) { fill_ref(m.initStillThere()); });
    if (const auto* r = std::get_if<model::release_sister>(&effect); r && r->host == host) release(host);
    const bool kills = std::holds_alternative<model::kill_program>(effect) || std::holds_alternative<model::kill_discarded>(effect);
    if (kills && did_.contains("killed")) tell_kill(host);
    if (const auto* t = std::get_if<model::spawn_task_on>(&effect); t && state().tasks.at(t->task).host == host) spawn_on_host(t->task);
  }
}

void run_actor::ask(const std::string& host) {
  if (!contact_of(host).open || !ticket_is_good()) return;  // asked when they are there
  const auto* sister = state().sister(host);
  tell_sister(host, [&](auto m) {
    auto j = m.initJoin();
    j.setTicket((fresh_order_ ? fresh_order_ : state().order).get().getStartRun().getTicket());
    auto o = j.initOrder();
    fill_ref(o.initRef());
    o.setOwner(order().getOwner());
    o.setEuser(order().getEuser());
    o.setEgroup(order().getEgroup());
    o.setExecVnode(order().getExecVnode());
    o.setExecHost(order().getExecHost());
    o.setQueue(order().getQueue());
    o.setAttributes(order().getAttributes());
    o.setServerName(order().getServerName());
    o.setKillDelaySeconds(order().getKillDelaySeconds());
    j.setNode(sister->node);
    j.setUsageIntervalSeconds(usage_interval_s_);
  });
}

// Files and hooks may have taken longer than the ticket lasts that came with the order.
bool run_actor::ticket_is_good() {
  if (ticket_until_ns_ == 0) ticket_until_ns_ = model::valid_until_ns(order().getTicket());
  if (parts_.shell.clock->now_ns() < ticket_until_ns_ - limits::ticket_rest_s * 1'000'000'000) return true;
  if (!std::exchange(wants_ticket_, true)) report();
  return false;
}

void run_actor::on_order_again(const order_again& o) {
  if (!wants_ticket_ || state().phase != phase::received) return;
  const auto until_ns = model::valid_until_ns(o.message.get().getStartRun().getTicket());
  if (until_ns <= ticket_until_ns_) return;
  fresh_order_ = o.message;
  ticket_until_ns_ = until_ns;
  wants_ticket_ = false;
  did_.erase("want ticket");
  begun_ns_ = parts_.shell.clock->now_ns();
  for (const auto& effect : model::pending_effects(state()))
    if (const auto* a = std::get_if<model::ask_sister>(&effect)) ask(a->host);
}

void run_actor::release(const std::string& host) {
  auto& c = contact_of(host);
  if (!c.open) return;
  if (c.leaves_since_ns == 0) c.leaves_since_ns = parts_.shell.clock->now_ns();
  tell_sister(host, [&](auto m) {
    fill_ref(m.initLeave().initRef());
    m.getLeave().setWhy(state().phase == phase::refused ? std::string(model::start_failed_elsewhere) : "the run is over");
  });
}

void run_actor::tell_kill(const std::string& host) {
  auto& c = contact_of(host);
  // Wishes of the server have ids from 1; one of our own (a limit) counts below them, and nothing above a run that is given up.
  const std::uint64_t id = state().discarded ? UINT64_MAX : state().kill_id * 2 + 1;
  if (!c.open || c.signalled >= id) return;
  c.signalled = id;
  tell_sister(host, [&](auto m) {
    auto s = m.initSignal();
    fill_ref(s.initRef());
    s.setId(id);
    s.setSignal(state().kill_signal == "SIGKILL" || state().discarded ? SIGKILL : SIGTERM);
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
  if (!state().sister(host)) return;                        // another run's host has nothing to say here
  const auto m = message.get();
  auto& last = contact_of(host).last;
  switch (m.which()) {
    case schema::FromSister::JOINED:
      // The tasks beside the program join when there is one; the job may be suspended by then.
      if (state().suspended) signal_on(host, SIGSTOP, schema::SignalPart::What::SUSPEND);
      return command(model::sister_joined{host});
    case schema::FromSister::REFUSED: return command(model::sister_refused{host, m.getRefused().getCode(), schema::str(m.getRefused().getText())});
    case schema::FromSister::LEFT:
      if (m.getLeft().getHasUsage()) last = model::read_host_usage(m.getLeft().getUsage());
      last.host = host;
      return command(model::sister_left{last});
    case schema::FromSister::USAGE:
      last = model::read_host_usage(m.getUsage().getUsage());
      last.host = host;                                     // whatever it calls itself
      return;
    case schema::FromSister::TASK_STATE: return on_task_state(m.getTaskState(), host);
    case schema::FromSister::TASK_SIGNALLED: return on_task_signalled(m.getTaskSignalled());
    case schema::FromSister::ASK: return on_ask(m.getAsk(), host);
    case schema::FromSister::OUTPUT: return on_output(m.getOutput(), host);
    case schema::FromSister::OUTPUT_TAKEN: return on_output_taken({m.getOutputTaken().getTask().getTask(), m.getOutputTaken().getErrors(), m.getOutputTaken().getUpTo()});
    case schema::FromSister::DESCRIBED: return on_described(m.getDescribed());
  }
}

// -- time --------------------------------------------------------------------------------------------------------------------

// Unless it is set, what execjob_begin hooks may take on a sister (RS-47).
std::int64_t run_actor::join_alarm_s() const {
  if (const auto set = parts_.settings->config.sister_join_job_alarm_s) return set;
  return hooks_.begin_alarms_s() > 0 ? hooks_.begin_alarms_s() : mom::sister_join_job_alarm_default_s;
}

// How long a sister may be out of reach: while the program runs its MoM may be restarted in peace. One that is there and does not
// get rid of the job is not waited for either, or a dead file server would keep the job's output from its owner.
void run_actor::poll_sisters(std::int64_t now_ns) {
  const auto& config = parts_.settings->config;
  const std::int64_t patience_s = state().active() ? config.max_check_poll_s : limits::sister_silence_s;
  std::vector<model::host_usage> silent;
  for (const auto& [host, c] : contacts_) {
    const bool away = !c.open && now_ns - c.away_since_ns >= patience_s * 1'000'000'000;
    const bool stuck = c.leaves_since_ns != 0 && now_ns - c.leaves_since_ns >= limits::leave_wait_s * 1'000'000'000 && host != parts_.settings->host;
    if (away || stuck) silent.push_back(c.last);
  }
  for (auto& s : silent) command(model::sister_silent{std::move(s)});
  const auto asked_s = std::max(state().received_s, begun_ns_ / 1'000'000'000);
  if (state().phase == phase::received && !wants_ticket_ && now_ns / 1'000'000'000 - asked_s >= join_alarm_s())
    command(model::join_wait_over{});
}

// -- usage -------------------------------------------------------------------------------------------------------------------

ports::run_usage run_actor::with_sisters(ports::run_usage own) const {
  for (const auto& [host, c] : contacts_) model::add_usage(own, c.last.usage);
  return own;
}

void run_actor::keep_usage_of_sisters() {
  std::vector<model::host_usage> told;
  for (const auto& [host, c] : contacts_)
    if (c.last.measured_ns != 0) told.push_back(c.last);
  if (!told.empty()) command(model::sisters_used{std::move(told)});
}

std::vector<model::host_usage> run_actor::by_host(const ports::run_usage& own) const {
  if (contacts_.empty()) return {};
  std::vector<model::host_usage> hosts{{parts_.settings->host, own, parts_.shell.clock->now_ns()}};
  for (const auto& s : state().sisters) {
    const auto at = contacts_.find(s.host);
    if (at == contacts_.end()) continue;
    if (s.host == parts_.settings->host) model::add_usage(hosts.front().usage, at->second.last.usage);
    else hosts.push_back(at->second.last);
  }
  return hosts;
}

// -- the server's log --------------------------------------------------------------------------------------------------------

void run_actor::report_steps() {
  const auto& steps = state().steps;
  for (; steps_noted_ < steps.size(); ++steps_noted_) note_step(steps[steps_noted_].get());
  const auto first = std::max<std::size_t>(steps_told_, steps_taken_);
  if (first == steps.size()) return;
  steps_told_ = steps.size();
  tell_server([&](auto m) {
    auto r = m.initRunSteps();
    fill_ref(r.initRef());
    r.setFirst(static_cast<std::uint32_t>(first));
    auto list = r.initSteps(static_cast<unsigned>(steps.size() - first));
    for (unsigned i = 0; i < list.size(); ++i) list.setWithCaveats(i, steps[first + i].get());
  });
}

// The lines PBS writes (pbs guide: MoM log).
void run_actor::note_step(const schema::Event::Reader& step) const {
  switch (step.which()) {
    case which::SISTER_FAILED: {
      const auto f = step.getSisterFailed();
      if (state().active() || state().phase == phase::ended)
        return parts_.note(log_event::error, state().job, "lost communication with " + schema::str(f.getHost()) + ", killing job: " + schema::str(f.getText()));
      parts_.note(log_event::job, state().job,
                  "job_start_error " + std::to_string(f.getCode()) + " from node " + schema::str(f.getHost()) + " could not JOIN_JOB successfully");
      return parts_.note(log_event::job, state().job, schema::str(f.getText()));
    }
    case which::JOIN_WAIT_ENDED:
      return parts_.note(log_event::debug2, state().job, "sister_join_job_alarm wait time " +
                         std::to_string(join_alarm_s()) + " secs exceeded");
    case which::SISTER_LEFT: {
      const auto l = step.getSisterLeft();
      if (l.getAbandoned())
        return parts_.note(log_event::error, state().job, schema::str(l.getHost()) + " does not answer: the server will end what is left of the job there");
      return parts_.note(log_event::debug2, state().job, schema::str(l.getHost()) + " cput=" +
                         values::print_duration(static_cast<std::int64_t>(l.getUsage().getCpuSeconds())) + " mem=" + std::to_string(l.getUsage().getMemKb()) + "kb");
    }
    default: return;
  }
}

}  // namespace annals::actors
