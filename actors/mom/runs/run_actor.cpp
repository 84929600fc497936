#include "actors/mom/runs/run_actor.hpp"

#include <chrono>
#include <csignal>
#include <utility>

namespace annals::actors {

template class event_sourced_actor<run_aggregate>;
template class effect_running_actor<run_aggregate, model::run_effect>;

namespace {

using phase = model::run_phase;
using first_usage_atom = caf::atom_constant<caf::atom("firstuse")>;

constexpr std::int64_t report_retry_ns = 5'000'000'000;  // an unacknowledged report is told again after this

}  // namespace

run_actor::run_actor(caf::actor_config& cfg, mom_parts parts, caf::actor mom, values::run_key key, std::uint64_t stream,
                     model::settings_ptr settings)
    : effect_running_actor(cfg, parts.base, stream, std::move(settings)),
      run_(context_of(std::move(parts), std::move(mom), std::move(key))),
      revived_(stream != 0),
      hooks_(hooks_owner()),
      timers_(stream != 0 ? run_.now_ns() : 0),
      sisters_(run_),
      tasks_(run_, [this](const std::string& host) { return sisters_.contact_of(host).open; }),
      usage_(run_, hooks_, sisters_),
      checkpoint_(run_),
      staging_(run_),
      start_hosts_(run_, hooks_, sisters_),
      program_start_(run_, hooks_, sisters_, start_hosts_, checkpoint_),
      requests_(run_, hooks_, sisters_, checkpoint_),
      reports_(run_, hooks_, usage_) {}

run_context run_actor::context_of(mom_parts parts, caf::actor mom, values::run_key key) {
  return {.parts = std::move(parts),
          .self = this,
          .mom = std::move(mom),
          .key = std::move(key),
          .state = state(),
          .receive = [this](envelope<model::run_command> e) { receive(std::move(e)); },
          .reconcile = [this] { reconcile(); },
          .look_again_at = [this](std::int64_t at_ns) { look_again_at(at_ns); },
          .to_server = [this](schema::sealed<schema::FromMom> message) { send(run_.mom, to_server{std::move(message)}); },
          .to_sister = [this](const std::string& host,
                              schema::sealed<schema::ToSister> message) { send(run_.mom, to_sister{host, std::move(message)}); }};
}

job_hooks::owner run_actor::hooks_owner() {
  return {.self = this,
          .mom = run_.mom,
          .parts = run_.parts,
          .job = state().job,
          .ran = state().hooks,
          .used = state().hook_usage,
          .now = [this] { return job_of(state(), run_.order_now()); },
          .write = [this](std::vector<model::usage_change> changes, bool closing,
                          reply_ptr reply) { run_.command(model::hooks_used{std::move(changes), closing}, std::move(reply)); },
          .reconcile = [this] { reconcile(); }};
}

// -- messages ------------------------------------------------------------------------------------------------------------------

caf::message_handler run_actor::other_handlers() {
  return caf::message_handler{
      [this](const new_settings& s) {
        run_.parts.settings = s.settings;
        reconcile();  // they say how long it waits
      },
      [this](const poll_usage& p) { poll(p.report_interval_s); },
      [this](first_usage_atom) { poll(run_.usage_interval_s); },
      [this](const host_acted&) { requests_.on_acted(); },
      [this](const node_file_written& w) { staging_.on_node_file(w); },
      [this](const script_text& s) { program_start_.on_script(s); },
      [this](const sister_link& l) { on_sister_link(l); },
      [this](const sister_said& s) { on_sister_said(s.message, s.host); },
  }
      .or_else(server_handlers())
      .or_else(hooks_.handlers())
      .or_else(usage_.handlers())
      .or_else(tasks_.handlers())
      .or_else(checkpoint_.handlers());
}

caf::message_handler run_actor::server_handlers() {
  return {
      [this](server_is_here) { report_again(); },
      [this](other_hosts_released) { staging_.on_other_hosts_released(); },
      [this](const steps_taken& s) {
        if (reports_.take(s.count)) effects().answered(id_of(model::run_effect(model::report_steps{state().steps.size()})));
        reconcile();
      },
      [this](const schema::Ack::What& what) {
        if (const auto report = model::answered_by(what)) effects().answered(*report);
        run_.command(model::acknowledged{what});
      },
  };
}

void run_actor::on_sister_link(const sister_link& l) {
  if (!sisters_.on_link(l)) return;
  // What was asked over the old link may have been lost.
  effects().again([&](const model::run_effect& e) { return model::sister_of(state(), e) == l.host; });
  if (l.open) {
    sisters_.tell_again(l.host);
    return reconcile();
  }
  tasks_.forget_askers_of(l.host);
  tasks_.fail_questions_to(l.host);
  usage_.no_longer_asked(l.host);
  if (program_start_.is_yet_to_start() || start_hosts_.has_wanted_release()) reconcile();  // it is not there when that is asked
  const auto* s = state().sister(l.host);
  if (!state().active() || (s && s->dropped())) return;
  run_.lines().lost_link(l.host);
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
    case schema::FromSister::JOINED: return sisters_.on_joined(host);
    case schema::FromSister::REFUSED:
    case schema::FromSister::LEFT: return on_sister_is_gone(host, m);
    case schema::FromSister::PROLOGUE_OVER:
      return run_.command(model::prologue_over{host, m.getPrologueOver().getCode(), schema::str(m.getPrologueOver().getText())});
    case schema::FromSister::UPDATED: {
      const auto number = m.getUpdated().getNumber();
      sisters_.on_updated(host, number);
      effects().answered(id_of(model::run_effect(model::update_sister{host, number})));
      const bool last_one = number >= state().reductions && start_hosts_.on_updated(host);
      if (last_one || sisters_.hosts_are_updated()) reconcile();  // nothing waits for one of many
      return;
    }
    case schema::FromSister::PRESENT:
      if (start_hosts_.on_present(host, m.getPresent().getQuestion())) reconcile();
      return;
    case schema::FromSister::USAGE: return usage_.take_answer(host, m.getUsage());
    case schema::FromSister::TASK_STATE: return tasks_.on_task_state(m.getTaskState(), host);
    case schema::FromSister::TASK_SIGNALLED: return tasks_.on_task_signalled(m.getTaskSignalled());
    case schema::FromSister::ASK: return tasks_.on_ask(m.getAsk(), host);
    case schema::FromSister::OUTPUT: return tasks_.on_output(m.getOutput(), host);
    case schema::FromSister::OUTPUT_TAKEN: return tasks_.on_output_taken(m.getOutputTaken());
    case schema::FromSister::DESCRIBED: return tasks_.on_described(m.getDescribed());
  }
}

// It did not join, or has nothing of the job any more.
void run_actor::on_sister_is_gone(const std::string& host, schema::FromSister::Reader last_word) {
  const auto* s = state().sister(host);
  const bool is_lost_early = program_start_.is_yet_to_start() && s->phase == model::sister_phase::joined && !s->dropped();
  if (last_word.isRefused()) {
    const auto why = last_word.getRefused();
    if (is_lost_early) return program_start_.lose(host, schema::str(why.getText()));
    return run_.command(model::sister_refused{host, why.getCode(), schema::str(why.getText())});
  }
  tasks_.forget_askers_of(host);
  if (last_word.getLeft().getHasUsage()) usage_.take(host, last_word.getLeft().getUsage());
  usage_.no_longer_asked(host);
  if (is_lost_early) return program_start_.lose(host, "the host no longer has the job");
  run_.command(model::sister_left{usage_.last_of(host)});
}

void run_actor::poll(std::uint32_t report_interval_s) {
  run_.usage_interval_s = report_interval_s;
  if (!state().sisters.empty()) sisters_.look(run_.now_ns());
  reconcile();  // a timer that fired before its time, because the clock was set back, is set again
  usage_.poll();
}

// -- effects -------------------------------------------------------------------------------------------------------------------

void run_actor::on_change() {
  run_.ordered.follow(state());
  if (std::exchange(revived_, false)) {  // in an earlier life
    reports_.revive();
    program_start_.revive();
  }
  reconcile();
  tasks_.on_change();
}

effect_time run_actor::when(const model::run_effect& effect) const {
  if (const auto* timer = std::get_if<model::wake>(&effect)) return {timers_.rings_at(*timer), 0, timer->since_ns};
  return {0, model::is_report(effect) && !std::holds_alternative<model::report_requests>(effect) ? report_retry_ns : 0};
}

struct run_actor::beginner {
  run_actor& a;

  begun operator()(const model::stage_files_in&) const { return a.staging_.stage_in(), begun::yes; }
  begun operator()(const model::unstage_files&) const { return a.staging_.unstage(), begun::yes; }
  begun operator()(const model::discard_again&) const { return a.run_.command(model::discard_order{}), begun::yes; }
  begun operator()(const model::note_discarded&) const {
    a.run_.note(log_event::job, "the server no longer knows this run of the job: killed");
    return begun::yes;
  }
  begun operator()(const model::fetch_script&) const { return a.program_start_.fetch_script(); }
  begun operator()(const model::start_program&) const { return a.program_start_.start(); }
  begun operator()(const model::watch_program&) const {  // not started in this life: the host must look for it first
    a.run_.parts.processes->adopt(a.run_.key);
    return begun::yes;
  }
  begun operator()(const model::kill_program& k) const { return a.requests_.kill_if_allowed(k), begun::yes; }
  begun operator()(const model::term_again&) const { return a.sisters_.signal_everywhere(SIGTERM), begun::yes; }
  begun operator()(const model::kill_harder&) const { return a.sisters_.signal_everywhere(SIGKILL), begun::yes; }
  begun operator()(const model::kill_discarded&) const { return a.requests_.kill("SIGKILL", {}), begun::yes; }
  begun operator()(const model::carry_out& c) const { return a.requests_.carry_out(c.request), begun::yes; }
  begun operator()(const model::place_output&) const {
    if (!a.closing_hooks_are_over()) return begun::not_yet;
    return a.staging_.place(), begun::yes;
  }
  begun operator()(const model::write_node_file&) const { return a.staging_.write_node_file(), begun::yes; }
  begun operator()(const model::clean_up&) const { return a.clean_up(), begun::yes; }
  begun operator()(const model::wake& timer) const {
    // Nobody was asked yet: hooks of this host come first.
    if (timer.what == model::run_timer::join_alarm && !a.program_start_.hooks_allow(hook_point::begin)) return begun::not_yet;
    return a.fire(timer), begun::yes;
  }

  begun operator()(const model::report_steps&) const { return a.reports_.steps(), begun::yes; }
  begun operator()(const model::report_started&) const {
    if (a.state().reductions > 0 && a.reports_.steps_are_out()) return begun::not_yet;  // what it does without is free by then (RS-125)
    a.reports_.started(a.checkpoint_.is_possible());
    a.delayed_send(&a, std::chrono::milliseconds(a.run_.parts.settings->first_usage_ms), first_usage_atom::value);
    return begun::yes;
  }
  begun operator()(const model::report_refused&) const {
    if (!a.abort_hooks_are_over() || a.reports_.steps_are_out()) return begun::not_yet;
    return a.reports_.refused(), begun::yes;
  }
  begun operator()(const model::report_exited&) const {
    if (!a.closing_hooks_are_over() || a.reports_.steps_are_out()) return begun::not_yet;
    return a.reports_.exited(), begun::yes;
  }
  begun operator()(const model::report_left&) const {
    if (a.reports_.steps_are_out()) return begun::not_yet;
    return a.reports_.left(), begun::yes;
  }
  begun operator()(const model::report_requests& w) const {
    if (!a.staging_.node_file_is_new()) return begun::not_yet;  // who has asked for a release may look at it then (RD-16)
    return a.reports_.requests_done(w.done), begun::yes;
  }
  begun operator()(const model::want_ticket&) const { return a.reports_.want_ticket(), begun::yes; }

  begun operator()(const model::ask_sister& s) const {
    if (!a.program_start_.hooks_allow(hook_point::begin)) return begun::not_yet;
    a.timers_.asking(a.run_.now_ns());
    return a.sisters_.contact_of(s.host).open ? a.sisters_.ask(s.host) : begun::not_yet;
  }
  begun operator()(const model::begin_launch&) const {
    a.run_.lines().launch_delay("");
    a.run_.lines().launch_delay(": before prologue");
    return a.run_.command(model::joins_over{a.hooks_.wanted(hook_point::prologue)}), begun::yes;
  }
  begun operator()(const model::run_prologue&) const {
    return a.program_start_.hooks_allow(hook_point::prologue) ? begun::yes : begun::not_yet;
  }
  // Nothing can be begun while there is no link; the next one begins it.
  template <class Begin>
  begun on_sister(const std::string& host, Begin&& begin) const {
    if (!a.sisters_.contact_of(host).open) return begun::not_yet;
    return begin(), begun::yes;
  }
  begun operator()(const model::ask_prologue& s) const {
    return on_sister(s.host, [&] { a.sisters_.ask_prologue(s.host); });
  }
  begun operator()(const model::update_sister& s) const {
    return on_sister(s.host, [&] { a.sisters_.tell_update(s.host); });
  }
  begun operator()(const model::keep_sister& s) const {
    return on_sister(s.host, [&] { a.sisters_.keep(s.host); });
  }
  begun operator()(const model::release_sister& s) const {
    return on_sister(s.host, [&] { a.sisters_.release(s.host); });
  }
  begun operator()(const model::kill_on& k) const {
    return on_sister(k.host, [&] { a.sisters_.tell_kill(k); });
  }
  begun operator()(const model::spawn_task_on& t) const {
    return on_sister(a.state().tasks.at(t.task).host, [&] { a.tasks_.spawn_on_host(t.task); });
  }
};

begun run_actor::begin(const model::run_effect& effect) { return std::visit(beginner{*this}, effect); }

void run_actor::fire(const model::wake& timer) {
  if (timer.what == model::run_timer::sister_silence && program_start_.is_yet_to_start() && !state().sister(timer.host)->dropped())
    return program_start_.lose(timer.host, "no contact");
  model::host_usage last;
  if (!timer.host.empty()) last = usage_.last_of(timer.host);
  run_.command(model::timer_fired{timer, std::move(last)});
}

// The end is told, and the output placed, behind them: what they set of resources_used is told with it.
bool run_actor::closing_hooks_are_over() {
  if (state().phase != phase::ended) return true;
  return hooks_.closing_are_over(hook_point::ended, state().closing_hooks_used, [this](at_hook_point& a) {
    a.exit_status = state().exit_status;
    a.usage = state().usage;
  });
}

// A start that failed is told when its hooks have run.
bool run_actor::abort_hooks_are_over() {
  if (!state().order || !hooks_.wanted(hook_point::aborted) || hooks_.is_open(hook_point::aborted)) return true;
  if (hooks_.ask_once(hook_point::aborted))
    hooks_.ask(hooks_.at(hook_point::aborted), [this](hook_point_passed&) { hooks_.pass(hook_point::aborted); });
  return false;
}

// A new connection: whatever is not acknowledged is told once more.
void run_actor::report_again() {
  reports_.tell_steps_again();
  effects().again(model::is_report);
  reconcile();
}

void run_actor::clean_up() {
  run_.note(log_event::debug, "delete job request received");
  if (state().order && !state().discarded && state().placed && !state().delivered) run_.parts.processes->keep_jobdir(run_.key);
  checkpoint_.drop();
  run_.parts.processes->forget(run_.key);
  send(run_.mom, run_gone{run_.key, state().job_serial, state().run});
  quit();
}

}  // namespace annals::actors
