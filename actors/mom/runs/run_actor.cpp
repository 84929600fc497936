#include "actors/mom/runs/run_actor.hpp"

#include <csignal>
#include <cstring>

#include "actors/mom/hooks/hook_usage.hpp"
#include "events/attributes/table.hpp"
#include "events/model/exit_codes.hpp"
#include "events/values/signal_name.hpp"

namespace annals::actors {

template class event_sourced_actor<run_aggregate>;
template class effect_running_actor<run_aggregate, model::run_effect>;

namespace {

using phase = model::run_phase;

constexpr std::int64_t report_retry_ns = 5'000'000'000;  // an unacknowledged report is told again after this

// Nothing: no signal of this system, or none that does anything.
std::optional<int> signal_number(std::string_view name) {
  const auto number = values::parse_signal(name);
  return number && *number > 0 && *number <= SIGRTMAX ? number : std::nullopt;
}

}  // namespace

run_actor::run_actor(caf::actor_config& cfg, mom_parts parts, caf::actor mom, values::run_key key, std::uint64_t stream,
                     model::settings_ptr settings)
    : effect_running_actor(cfg, parts.base, stream, std::move(settings)),
      parts_(std::move(parts)),
      mom_(std::move(mom)),
      key_(std::move(key)),
      revived_(stream != 0),
      born_ns_(stream != 0 ? parts_.base.clock->now_ns() : 0),
      hooks_(mom_, parts_.hooks) {}

caf::message_handler run_actor::other_handlers() {
  return caf::message_handler{
      [this](server_is_here) { report_again(); },
      [this](const new_settings& s) {
        parts_.settings = s.settings;
        reconcile();  // they say how long it waits
      },
      [this](const host_acted&) { on_acted(); },
      [this](const node_file_written& w) { on_node_file(w); },
      [this](other_hosts_released) { on_other_hosts_released(); },
      [this](hook_point_passed& p) {
        hooks_.on_passed(p);
        keep(std::move(p.used));
      },
      [this](hook_usage_set& u) { keep(std::move(u.changes)); },
      [this](const closing_usage_settled& s) {
        note_not_kept(parts_, state().job, s);
        hooks_.open(s.point);
        reconcile();
      },
      [this](const script_text& s) {
        if (s.missing) return command(model::program_failed{{model::exit_script_lost, "the server does not have the job's script"}});
        script_ = s.text;
        reconcile();
      },
      [this](const steps_taken& s) {
        steps_taken_ = std::max(steps_taken_, s.count);
        if (steps_taken_ >= state().steps.size()) effects().answered(id_of(model::run_effect(model::report_steps{state().steps.size()})));
        reconcile();
      },
      [this](const sister_link& l) { on_sister_link(l); },
      [this](const sister_said& s) { on_sister_said(s.message, s.host); },
      [this](const schema::Ack::What& what) {
        if (const auto report = model::answered_by(what)) effects().answered(*report);
        command(model::acknowledged{what});
      },
  }
      .or_else(usage_handlers())
      .or_else(task_handlers())
      .or_else(checkpoint_handlers());
}

void run_actor::on_change() {
  current_order_.follow(state());
  if (std::exchange(revived_, false)) {  // in an earlier life
    steps_noted_ = state().steps.size();
    may_have_started_ = state().phase == phase::starting && parts_.processes->has_order(key_);
  }
  reconcile();
  if (state().phase != phase::starting)
    for (const auto& f : std::exchange(early_finds_, {})) answer_find(f);
  if (!state().tasks.empty()) settle_tasks();
}

// A host that this life of the MoM had no time to reach or to ask is not given up yet, however long ago an earlier life asked or
// lost it.
std::int64_t run_actor::rings_at(const model::wake& timer) const {
  constexpr auto silence_ns = limits::sister_silence_s * 1'000'000'000;
  const auto wait_ns = timer.at_ns - timer.since_ns;
  const auto grace_ns = born_ns_ == 0 ? wait_ns : std::min(wait_ns, silence_ns);
  switch (timer.what) {
    case model::run_timer::join_alarm: return std::max(timer.at_ns, asking_since_ns_ + grace_ns);
    case model::run_timer::launch_delay: return born_ns_ == 0 ? timer.at_ns : std::max(timer.at_ns, born_ns_ + grace_ns);
    case model::run_timer::sister_silence:
    case model::run_timer::task_silence:
    case model::run_timer::leave_wait: return born_ns_ == 0 ? timer.at_ns : std::max(timer.at_ns, born_ns_ + silence_ns);
    case model::run_timer::term_delay:
    case model::run_timer::kill_delay: return timer.at_ns;
  }
  return timer.at_ns;
}

effect_time run_actor::when(const model::run_effect& effect) const {
  if (const auto* timer = std::get_if<model::wake>(&effect)) return {rings_at(*timer), 0, timer->since_ns};
  return {0, model::is_report(effect) && !std::holds_alternative<model::report_requests>(effect) ? report_retry_ns : 0};
}

struct run_actor::beginner {
  run_actor& a;
  const model::run_effect& effect;

  begun operator()(const model::stage_files_in&) const { return a.stage_in(), begun::yes; }
  begun operator()(const model::unstage_files&) const { return a.unstage(), begun::yes; }
  begun operator()(const model::discard_again&) const { return a.command(model::discard_order{}), begun::yes; }
  begun operator()(const model::note_discarded&) const {
    a.parts_.note(log_event::job, a.state().job, "the server no longer knows this run of the job: killed");
    return begun::yes;
  }
  begun operator()(const model::fetch_script&) const { return a.fetch_script(); }
  begun operator()(const model::start_program&) const { return a.start(); }
  begun operator()(const model::watch_program&) const {  // not started in this life: the host must look for it first
    a.parts_.processes->adopt(a.key_);
    return begun::yes;
  }
  begun operator()(const model::kill_program& k) const { return a.kill_if_allowed(k), begun::yes; }
  begun operator()(const model::term_again&) const { return a.signal_everywhere(SIGTERM), begun::yes; }
  begun operator()(const model::kill_harder&) const { return a.signal_everywhere(SIGKILL), begun::yes; }
  begun operator()(const model::kill_discarded&) const { return a.do_kill("SIGKILL", {}), begun::yes; }
  begun operator()(const model::carry_out& c) const { return a.carry_out(c.request), begun::yes; }
  begun operator()(const model::place_output&) const {
    if (!a.closing_hooks_are_over()) return begun::not_yet;
    return a.place(), begun::yes;
  }
  begun operator()(const model::write_node_file&) const {
    a.parts_.places->update(mom::place_for(a.order(), a.state().allocated, *a.parts_.settings), a.state().reductions);
    return begun::yes;
  }
  begun operator()(const model::clean_up&) const { return a.clean_up(), begun::yes; }
  begun operator()(const model::wake& timer) const {
    // Nobody was asked yet: hooks of this host come first.
    if (timer.what == model::run_timer::join_alarm && !a.hooks_allow(hook_point::begin)) return begun::not_yet;
    return a.fire(timer), begun::yes;
  }

  begun operator()(const model::report_steps&) const { return a.report_steps(), begun::yes; }
  begun operator()(const model::report_started&) const {
    if (a.state().reductions > 0 && a.steps_are_out()) return begun::not_yet;  // what it does without is free by then (RS-125)
    a.tell_server([&](auto m) {
      auto r = m.initRunStarted();
      a.fill_ref(r.initRef());
      r.setSession(a.state().session);
      r.setJobdir(a.state().jobdir);
      r.setPosition(a.version());
      r.setCanCheckpoint(a.can_checkpoint());
    });
    a.tell_first_usage_soon();
    return begun::yes;
  }
  begun operator()(const model::report_refused&) const {
    if (!a.abort_hooks_are_over() || a.steps_are_out()) return begun::not_yet;
    return a.report_refused(), begun::yes;
  }
  begun operator()(const model::report_exited&) const {
    if (!a.closing_hooks_are_over() || a.steps_are_out()) return begun::not_yet;
    return a.report_exited(), begun::yes;
  }
  begun operator()(const model::report_left&) const {
    if (a.steps_are_out()) return begun::not_yet;
    return a.report_left(), begun::yes;
  }
  begun operator()(const model::report_requests& w) const {
    if (!a.node_file_is_new()) return begun::not_yet;  // who has asked for a release may look at it then (RD-16)
    a.tell_server([&](auto m) {
      auto d = m.initRequestDone();
      a.fill_ref(d.initRef());
      d.setId(w.done);
    });
    return begun::yes;
  }
  begun operator()(const model::want_ticket&) const {
    a.tell_server([&](auto m) { a.fill_ref(m.initWantTicket()); });
    return begun::yes;
  }

  begun operator()(const model::ask_sister& s) const {
    if (!a.hooks_allow(hook_point::begin)) return begun::not_yet;
    if (a.asking_since_ns_ == 0) a.asking_since_ns_ = a.parts_.base.clock->now_ns();
    return a.begin_on_sister(s.host, effect);
  }
  begun operator()(const model::begin_launch&) const {
    a.lines().launch_delay("");
    a.lines().launch_delay(": before prologue");
    return a.command(model::joins_over{a.hooks_.wanted(hook_point::prologue)}), begun::yes;
  }
  begun operator()(const model::run_prologue&) const { return a.hooks_allow(hook_point::prologue) ? begun::yes : begun::not_yet; }
  begun operator()(const model::ask_prologue& s) const { return a.begin_on_sister(s.host, effect); }
  begun operator()(const model::update_sister& s) const { return a.begin_on_sister(s.host, effect); }
  begun operator()(const model::keep_sister& s) const { return a.begin_on_sister(s.host, effect); }
  begun operator()(const model::release_sister& s) const { return a.begin_on_sister(s.host, effect); }
  begun operator()(const model::kill_on& k) const { return a.begin_on_sister(k.host, effect); }
  begun operator()(const model::spawn_task_on& t) const { return a.begin_on_sister(a.state().tasks.at(t.task).host, effect); }
};

begun run_actor::begin(const model::run_effect& effect) { return std::visit(beginner{*this, effect}, effect); }

void run_actor::fire(const model::wake& timer) {
  if (timer.what == model::run_timer::sister_silence && is_yet_to_start() && !state().sister(timer.host)->dropped())
    return lose_before_start(timer.host, "no contact");
  model::host_usage last;
  if (!timer.host.empty()) last = contact_of(timer.host).last;
  command(model::timer_fired{timer, std::move(last)});
}

begun run_actor::fetch_script() {
  if (script_ || launching_) return begun::yes;
  if (!hooks_allow(hook_point::begin) || !hooks_allow(hook_point::prologue)) return begun::not_yet;
  const auto h = order().getScript().getHash();
  send(mom_, want_script{{reinterpret_cast<const char*>(h.begin()), h.size()}, key_});
  return begun::yes;
}

// RS-15, RS-130. An earlier life may have started the program: then it is found, and killed.
begun run_actor::start() {
  if (state().start_is_unwanted() && !may_have_started_) return command(model::start_stopped{}), begun::not_yet;
  if (!hooks_allow(hook_point::begin) || !hooks_allow(hook_point::prologue)) return begun::not_yet;
  if (model::script_comes_later(order()) && !script_) return begun::not_yet;
  if (!std::exchange(launch_told_, true)) lines().launch_delay(": before launch");
  if (may_have_started_ ? prunes_by_itself() || waits_for_updates() : !has_its_hosts()) return begun::not_yet;
  return start_after_hooks();
}

void run_actor::do_kill(const std::string& signal, const std::string& why) {
  if (!why.empty()) parts_.processes->append_stderr(key_, "=>> PBS: job killed: " + why + "\n");
  if (const auto number = signal_number(signal)) parts_.processes->signal(key_, *number);
  parts_.note(log_event::job, state().job, "kill_job");
  if (state().suspended) signal_everywhere(SIGCONT);  // a stopped process can't end by itself
}

void run_actor::carry_out(const model::told_request& request) {
  note_signal(request);
  if (const auto& r = request.release) {
    if (!state().allocated.reduced_to(r->exec_vnode, r->exec_host, r->released))
      parts_.note(log_event::error, state().job, "can't let go of " + r->released + ": the run has " + state().allocated.exec_vnode());
  } else if (request.what == schema::RunRequest::SUSPEND) {
    suspend_run();
  } else if (request.what == schema::RunRequest::CHECKPOINT) {
    return begin_checkpoint(request.id);
  } else if (request.what == schema::RunRequest::RESUME) {
    return resume_run(request.id);
  } else if (request.what == schema::RunRequest::MESSAGE) {
    if (request.to_errors) parts_.processes->append_stderr(key_, request.text + "\n");
    if (request.to_output) parts_.processes->append_stdout(key_, request.text + "\n");
  } else if (const auto number = request.what == schema::RunRequest::SIGNAL ? signal_number(request.text) : std::nullopt) {
    signal_everywhere(*number);
  }
  when_acted(model::request_carried_out{request.id});
}

void run_actor::note_signal(const model::told_request& request) const {
  std::string signal;
  switch (request.what) {
    case schema::RunRequest::SIGNAL:
      signal =
          signal_number(request.text) && std::isalpha(static_cast<unsigned char>(request.text.front())) && !request.text.starts_with("SIG")
              ? "SIG" + request.text
              : request.text;
      break;
    case schema::RunRequest::SUSPEND: signal = "suspend"; break;
    case schema::RunRequest::RESUME: signal = "resume"; break;
    case schema::RunRequest::MESSAGE:
    case schema::RunRequest::RELEASE:
    case schema::RunRequest::CHECKPOINT:
    case schema::RunRequest::ALTERED: return;
  }
  parts_.note(log_event::debug, state().job, "signal job request received");
  parts_.note(log_event::admin, state().job, "signal job with " + signal);
}

// What is on disk as done is not done again by a MoM that comes after this one.
void run_actor::when_acted(model::run_command c) {
  acting_.push_back(std::move(c));
  parts_.processes->confirm(key_);
}

void run_actor::on_acted() {
  if (acting_.empty()) return;
  auto done = std::move(acting_.front());
  acting_.pop_front();
  command(std::move(done));
}

bool run_actor::node_file_is_new() const { return state().reductions == state().pruned || node_file_ >= state().reductions; }

// At stage-out (release_nodes_on_stageout). What the run has had stays in its state: its other hosts have left it already.
void run_actor::on_other_hosts_released() {
  if (state().phase != phase::ended && state().phase != phase::placed) return;
  auto left = state().allocated;
  if (left.hosts().size() < 2) return;
  const std::vector<std::string> others(left.hosts().begin() + 1, left.hosts().end());
  if (!left.release(left.on(others))) return;
  parts_.places->update(mom::place_for(order(), left, *parts_.settings), state().reductions);
}

// One that can't be written keeps nobody waiting.
void run_actor::on_node_file(const node_file_written& w) {
  if (!w.error.empty()) parts_.note(log_event::error, state().job, "the node file could not be written: " + w.error);
  node_file_ = std::max(node_file_, w.number);
  reconcile();
}

}  // namespace annals::actors
