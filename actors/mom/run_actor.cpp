#include "actors/mom/run_actor.hpp"

#include <csignal>
#include <cstring>

#include <chrono>

#include "events/attributes/table.hpp"
#include "events/values/number.hpp"

namespace annals::actors {

namespace {

using retry_atom = caf::atom_constant<caf::atom("retry")>;
using harder_atom = caf::atom_constant<caf::atom("harder")>;
using phase = model::run_phase;

constexpr auto report_retry = std::chrono::seconds(5);    // an unacknowledged report is told again after this
constexpr std::int64_t first_report_ns = 1'000'000'000;   // usage is first told a second after the start

// "SIGUSR1", "USR1" or "10". Nothing: no signal of this system.
std::optional<int> signal_number(std::string_view name) {
  if (const auto number = values::parse_integer(name)) return *number > 0 && *number <= SIGRTMAX ? std::optional(static_cast<int>(*number)) : std::nullopt;
  if (name.starts_with("SIG")) name.remove_prefix(3);
  for (int s = 1; s < SIGRTMIN; ++s)
    if (const char* known = sigabbrev_np(s); known != nullptr && name == known) return s;
  return std::nullopt;
}

}  // namespace

run_actor::run_actor(caf::actor_config& cfg, mom_parts parts, caf::actor mom, std::string key, std::uint64_t stream, model::site_ptr site)
    : shell(cfg, parts.shell, stream, std::move(site)), parts_(std::move(parts)), mom_(std::move(mom)), key_(std::move(key)), revived_(stream != 0), hooks_(mom_, parts_.hooks) {}

caf::message_handler run_actor::more_handlers() {
  return caf::message_handler{
      [this](server_is_here) { report_again(); },
      [this](retry_atom) {
        did_.erase("retry");
        report_again();
      },
      [this](harder_atom) {
        if (state().phase == phase::started) signal_everywhere(SIGKILL);
      },
      [this](const new_settings& s) { parts_.settings = s.settings; },
      [this](const poll_usage& p) { poll(p); },
      [this](hook_point_passed& p) { hooks_.on_passed(p); },
      [this](const script_text& s) {
        if (s.missing) return command(model::program_failed{{-1, "the job's script is not to be had from the server"}});
        script_ = s.text;
        start();
      },
      [this](const steps_taken& s) {
        steps_taken_ = std::max(steps_taken_, s.count);
        report();
      },
      [this](const order_again& o) { on_order_again(o); },
      [this](const sister_link& l) { on_sister_link(l); },
      [this](const sister_said& s) { on_sister_said(s.message, s.host); },
      [this](const schema::Ack::What& what) {
        acknowledged_.insert(what);
        command(model::acknowledged{what});
      },
  }.or_else(task_handlers());
}

void run_actor::on_change() {
  if (std::exchange(revived_, false)) steps_noted_ = state().steps.size();     // in an earlier life
  if (state().discarded && once("discarded"))
    parts_.note(log_event::job, state().job, "the server no longer knows this run of the job: killed");
  for (const auto& effect : model::pending_effects(state())) perform(effect);
  if (state().phase != phase::starting)
    for (const auto& f : std::exchange(early_finds_, {})) answer_find(f);
  if (!state().tasks.empty()) settle_tasks();
  report();
}

void run_actor::perform(const model::run_effect& effect) {
  if (std::holds_alternative<model::stage_files_in>(effect)) {
    if (once("stage in")) stage_in();
  } else if (std::holds_alternative<model::unstage_files>(effect)) {
    if (once("unstage")) unstage();
    if (state().discarded && state().phase != phase::left) command(model::discard_order{});      // it may go now
  } else if (std::holds_alternative<model::start_program>(effect)) {
    start();
  } else if (std::holds_alternative<model::watch_program>(effect)) {
    // Started in this life: the host tells us anyway. After a restart it must look for the program first.
    if (!did_.contains("start") && once("watch")) parts_.processes->adopt(key_);
  } else if (const auto* wish = std::get_if<model::kill_program>(&effect)) {
    if (once("kill:" + wish->signal + ":" + std::to_string(state().kill_id))) kill_if_allowed(*wish);
  } else if (std::holds_alternative<model::kill_discarded>(effect)) {
    if (once("kill discarded")) do_kill({"SIGKILL", 0, {}});
  } else if (const auto* told = std::get_if<model::carry_out>(&effect)) {
    if (once("wish:" + std::to_string(told->wish.id))) carry_out(told->wish);
  } else if (std::holds_alternative<model::place_output>(effect)) {
    if (once("place")) place_after_hooks();
  } else if (const auto* asked = std::get_if<model::ask_sister>(&effect)) {
    if (hooks_allow(hook_point::begin) && once("ask:" + asked->host)) ask(asked->host);
  } else if (const auto* kept = std::get_if<model::keep_sister>(&effect)) {
    (void)contact_of(kept->host);
  } else if (const auto* released = std::get_if<model::release_sister>(&effect)) {
    if (once("release:" + released->host)) release(released->host);
  } else if (const auto* task = std::get_if<model::spawn_task_on>(&effect)) {
    if (once("spawn:" + std::to_string(task->task))) spawn_on_host(task->task);
  } else if (std::holds_alternative<model::clean_up>(effect)) {
    if (once("clean")) clean_up();
  }
}

void run_actor::start() {
  if (launching_ && state().hooks.has("execjob_launch")) parts_.processes->start(*std::exchange(launching_, {}));
  if (did_.contains("start") || !hooks_allow(hook_point::begin) || !hooks_allow(hook_point::prologue)) return;
  const auto script = order().getScript();
  const bool elsewhere = script.getHash().size() > 0 && script.getSize() > 0 && order().getInlineScript().size() == 0;
  if (elsewhere && !script_) {
    const auto h = script.getHash();
    if (once("script")) send(mom_, want_script{{reinterpret_cast<const char*>(h.begin()), h.size()}, key_});
    return;
  }
  did_.insert("start");
  auto o = mom::order_for(order(), *parts_.settings);
  if (script_) o.script_text = std::move(script_);
  script_.reset();
  start_after_hooks(std::move(o));
}

void run_actor::do_kill(const model::kill_program& wish) {
  did_.insert("killed");
  if (!wish.why.empty()) parts_.processes->append_stderr(key_, "=>> PBS: job killed: " + wish.why + "\n");
  if (const auto number = signal_number(wish.signal)) parts_.processes->signal(key_, *number);
  for (const auto& s : state().sisters) tell_kill(s.host);
  if (state().suspended) signal_everywhere(SIGCONT);      // a stopped process can't end by itself
  if (wish.kill_delay_s > 0) delayed_send(this, std::chrono::seconds(wish.kill_delay_s), harder_atom::value);
}

void run_actor::carry_out(const model::told_wish& wish) {
  if (wish.what == schema::Wish::SUSPEND) {
    suspend();
  } else if (wish.what == schema::Wish::RESUME) {
    return resume(wish.id);
  } else if (wish.what == schema::Wish::MESSAGE) {
    if (wish.to_errors) parts_.processes->append_stderr(key_, wish.text + "\n");
    if (wish.to_output) parts_.processes->append_stdout(key_, wish.text + "\n");
  } else if (const auto number = wish.what == schema::Wish::SIGNAL ? signal_number(wish.text) : std::nullopt) {
    signal_everywhere(*number);
  }
  command(model::wish_carried_out{wish.id});
}

// -- reports -----------------------------------------------------------------------------------------------------------------

void run_actor::fill_ref(schema::RunRef::Builder ref) const {
  ref.setJobSerial(state().job_serial);
  ref.setRun(state().run);
  ref.setJob(state().job);
}

void run_actor::report() {
  bool waiting = false;
  const bool steps_out = steps_taken_ < state().steps.size();
  if (wants_ticket_ && state().phase == phase::received) {
    waiting = true;
    if (once("want ticket")) tell_server([&](auto m) { fill_ref(m.initWantTicket()); });
  }
  const auto fill_abandoned = [&](auto list) {
    const auto hosts = state().abandoned_hosts();
    for (unsigned i = 0; i < hosts.size(); ++i) list.set(i, hosts[i]);
  };
  const auto owes = [&](schema::Ack::What what) {
    if (steps_out && what != schema::Ack::What::RUN_STARTED) return false;   // of a run that is over the server takes no more steps
    const bool owed = !acknowledged_.contains(what);
    waiting |= owed;
    return owed;
  };
  for (const auto& effect : model::pending_effects(state())) {
    if (std::holds_alternative<model::report_steps>(effect) && steps_out) {
      waiting = true;
      report_steps();
    } else if (std::holds_alternative<model::report_started>(effect) && owes(schema::Ack::What::RUN_STARTED))
      tell_server([&](auto m) {
        auto r = m.initRunStarted();
        fill_ref(r.initRef());
        r.setSession(state().session);
        r.setJobdir(state().jobdir);
        r.setPosition(version());
      });
    else if (std::holds_alternative<model::report_refused>(effect) && abort_hooks_are_over() && owes(schema::Ack::What::RUN_REFUSED))
      tell_server([&](auto m) {
        auto r = m.initRunRefused();
        fill_ref(r.initRef());
        r.setCode(state().exit_status);
        r.setText(state().text);
        r.setPosition(version());
        fill_abandoned(r.initAbandoned(static_cast<unsigned>(state().abandoned_hosts().size())));
      });
    else if (std::holds_alternative<model::report_exited>(effect) && owes(schema::Ack::What::RUN_EXITED))
      tell_server([&](auto m) {
        auto r = m.initRunExited();
        fill_ref(r.initRef());
        r.setExitStatus(state().exit_status);
        r.setSession(state().session);
        r.setReported(true);
        r.setPosition(version());
        model::write_usage(state().total_usage(), r.initUsage());
        const auto hosts = state().usage_by_host(parts_.settings->host, parts_.shell.clock->now_ns());
        fill_hosts(hosts, r.initHosts(static_cast<unsigned>(hosts.size())));
      });
    else if (const auto* wishes = std::get_if<model::report_wishes>(&effect); wishes && wishes->done > wishes_told_) {
      wishes_told_ = wishes->done;
      tell_server([&](auto m) {
        auto d = m.initWishDone();
        fill_ref(d.initRef());
        d.setId(wishes->done);
      });
    } else if (std::holds_alternative<model::report_left>(effect) && owes(schema::Ack::What::RUN_LEFT))
      tell_server([&](auto m) {
        auto r = m.initRunLeft();
        fill_ref(r.initRef());
        r.setDelivered(state().delivered);
        r.setText(state().delivery_text);
        r.setPosition(version());
        fill_abandoned(r.initAbandoned(static_cast<unsigned>(state().abandoned_hosts().size())));
      });
  }
  if (waiting && once("retry")) delayed_send(this, report_retry, retry_atom::value);
}

void run_actor::poll(const poll_usage& p) {
  usage_interval_s_ = p.report_interval_s;
  const auto now = parts_.shell.clock->now_ns();
  if (!state().sisters.empty()) poll_sisters(now);
  if (state().phase != phase::started) return;
  auto usage = parts_.processes->usage(key_);
  if (!usage) return;
  usage = model::counted(state(), *usage, now / 1'000'000'000);
  tell_periodic_hooks(*usage);
  if (state().order) {
    if (auto met = model::exceeded_limit(order(), with_sisters(*usage), parts_.settings->config.enforce.mem)) command(*met);
  }
  const bool first = told_ns_ == 0 && now - state().started_s * 1'000'000'000 >= first_report_ns;
  const bool due = told_ns_ != 0 && model::worth_reporting(with_sisters(*usage), told_, (now - told_ns_) / 1'000'000'000, p.report_interval_s);
  if (!first && !due) return;
  told_ns_ = now;
  told_ = with_sisters(*usage);
  keep_usage_of_sisters();
  tell_server([&](auto m) {
    auto r = m.initRunUsage();
    fill_ref(r.initRef());
    model::write_usage(told_, r.initUsage());
    r.setSession(state().session);
    r.setJobdir(state().jobdir);
    const auto hosts = by_host(*usage);
    fill_hosts(hosts, r.initHosts(static_cast<unsigned>(hosts.size())));
  });
}

}  // namespace annals::actors
