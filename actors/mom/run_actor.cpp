#include "actors/mom/run_actor.hpp"

#include <csignal>
#include <cstring>

#include <chrono>
#include <random>

#include "events/attributes/table.hpp"
#include "events/values/number.hpp"

namespace annals::actors {

namespace {

using retry_atom = caf::atom_constant<caf::atom("retry")>;
using harder_atom = caf::atom_constant<caf::atom("harder")>;
using phase = model::run_phase;

constexpr auto report_retry = std::chrono::seconds(5);    // an unacknowledged report is told again after this
constexpr std::int64_t first_report_ns = 1'000'000'000;   // usage is first told a second after the start

// PBS_JOBCOOKIE: the same for a run in every life of the MoM, so it is made of what the log keeps.
std::string cookie_of(const model::run_state& run) {
  std::seed_seq seed{run.job_serial, std::uint64_t{run.run}, run.stream};
  std::mt19937_64 random(seed);
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(random()), static_cast<unsigned long long>(random()));
  return text;
}

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
    : shell(cfg, parts.shell, stream, std::move(site)), parts_(std::move(parts)), mom_(std::move(mom)), key_(std::move(key)) {}

caf::message_handler run_actor::more_handlers() {
  return {
      [this](server_is_here) {
        wishes_told_ = 0;
        report();
      },
      [this](retry_atom) {
        did_.erase("retry");
        report();
      },
      [this](harder_atom) {
        if (state().phase == phase::started) parts_.processes->signal(key_, SIGKILL);
      },
      [this](const new_settings& s) { parts_.settings = s.settings; },
      [this](const poll_usage& p) { poll(p); },
      [this](const script_text& s) {
        if (s.missing) return command(model::program_failed{{-1, "the job's script is not to be had from the server"}});
        script_ = s.text;
        start();
      },
      [this](const schema::Ack::What& what) {
        acknowledged_.insert(what);
        command(model::acknowledged{what});
      },
  };
}

void run_actor::on_change() {
  for (const auto& effect : model::pending_effects(state())) perform(effect);
  report();
}

void run_actor::perform(const model::run_effect& effect) {
  if (std::holds_alternative<model::start_program>(effect)) {
    if (once("start")) start();
  } else if (std::holds_alternative<model::watch_program>(effect)) {
    // Started in this life: the host tells us anyway. After a restart it must look for the program first.
    if (!did_.contains("start") && once("watch")) parts_.processes->adopt(key_);
  } else if (const auto* wish = std::get_if<model::kill_program>(&effect)) {
    if (once("kill:" + wish->signal + ":" + std::to_string(state().kill_id))) kill(*wish);
  } else if (const auto* told = std::get_if<model::carry_out>(&effect)) {
    if (once("wish:" + std::to_string(told->wish.id))) carry_out(told->wish);
  } else if (std::holds_alternative<model::place_output>(effect)) {
    if (once("place")) place();
  } else if (std::holds_alternative<model::clean_up>(effect)) {
    if (!once("clean")) return;
    parts_.processes->forget(key_);
    send(mom_, run_gone{key_, state().job_serial, state().run});
    quit();
  }
}

void run_actor::start() {
  const auto script = order().getScript();
  const bool elsewhere = script.getHash().size() > 0 && script.getSize() > 0 && order().getInlineScript().size() == 0;
  if (elsewhere && !script_) {
    const auto h = script.getHash();
    return send(mom_, want_script{{reinterpret_cast<const char*>(h.begin()), h.size()}, key_});
  }
  auto o = mom::order_for(order(), *parts_.settings, cookie_of(state()));
  if (script_) o.script_text = std::move(script_);
  script_.reset();
  parts_.processes->start(o);
}

void run_actor::kill(const model::kill_program& wish) {
  if (!wish.why.empty()) parts_.processes->append_stderr(key_, "=>> PBS: job killed: " + wish.why + "\n");
  if (const auto number = signal_number(wish.signal)) parts_.processes->signal(key_, *number);
  if (state().suspended) parts_.processes->signal(key_, SIGCONT);      // a stopped process can't end by itself
  if (wish.kill_delay_s > 0) delayed_send(this, std::chrono::seconds(wish.kill_delay_s), harder_atom::value);
}

void run_actor::carry_out(const model::told_wish& wish) {
  if (wish.what == schema::Wish::SUSPEND) {
    parts_.processes->signal(key_, SIGSTOP);
  } else if (wish.what == schema::Wish::RESUME) {
    parts_.processes->signal(key_, SIGCONT);
  } else if (wish.what == schema::Wish::MESSAGE) {
    if (wish.to_errors) parts_.processes->append_stderr(key_, wish.text + "\n");
    if (wish.to_output) parts_.processes->append_stdout(key_, wish.text + "\n");
  } else if (const auto number = wish.what == schema::Wish::SIGNAL ? signal_number(wish.text) : std::nullopt) {
    parts_.processes->signal(key_, *number);
  }
  command(model::wish_carried_out{wish.id});
}

void run_actor::place() {
  const auto files = state().exit_override == -11 ? std::vector<ports::delivery>{}     // a rerun discards its output
                                                  : mom::deliveries_for(order(), *parts_.settings, state().exit_status);
  if (files.empty()) return command(model::output_placed{{}});
  parts_.processes->deliver(key_, schema::str(order().getEuser()), files);
}

// -- reports -----------------------------------------------------------------------------------------------------------------

void run_actor::fill_ref(schema::RunRef::Builder ref) const {
  ref.setJobSerial(state().job_serial);
  ref.setRun(state().run);
  ref.setJob(state().job);
}

void run_actor::fill_usage(const ports::run_usage& from, schema::Usage::Builder to) {
  to.setCpuSeconds(from.cpu_seconds);
  to.setMemKb(from.mem_kb);
  to.setVmemKb(from.vmem_kb);
  to.setWallSeconds(from.wall_seconds);
  to.setNcpus(from.ncpus);
  to.setCpuPercent(from.cpu_percent);
}

void run_actor::report() {
  bool waiting = false;
  const auto owes = [&](schema::Ack::What what) {
    const bool owed = !acknowledged_.contains(what);
    waiting |= owed;
    return owed;
  };
  for (const auto& effect : model::pending_effects(state())) {
    if (std::holds_alternative<model::report_started>(effect) && owes(schema::Ack::What::RUN_STARTED))
      tell_server([&](auto m) {
        auto r = m.initRunStarted();
        fill_ref(r.initRef());
        r.setSession(state().session);
        r.setJobdir(state().jobdir);
        r.setPosition(version());
      });
    else if (std::holds_alternative<model::report_refused>(effect) && owes(schema::Ack::What::RUN_REFUSED))
      tell_server([&](auto m) {
        auto r = m.initRunRefused();
        fill_ref(r.initRef());
        r.setCode(state().exit_status);
        r.setText(state().text);
        r.setPosition(version());
      });
    else if (std::holds_alternative<model::report_exited>(effect) && owes(schema::Ack::What::RUN_EXITED))
      tell_server([&](auto m) {
        auto r = m.initRunExited();
        fill_ref(r.initRef());
        r.setExitStatus(state().exit_status);
        r.setSession(state().session);
        r.setReported(true);
        r.setPosition(version());
        fill_usage(state().usage, r.initUsage());
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
      });
  }
  if (waiting && once("retry")) delayed_send(this, report_retry, retry_atom::value);
}

void run_actor::poll(const poll_usage& p) {
  if (state().phase != phase::started) return;
  const auto now = parts_.shell.clock->now_ns();
  auto usage = parts_.processes->usage(key_);
  if (!usage) return;
  usage = model::counted(state(), *usage, now / 1'000'000'000);
  if (state().order) {
    if (auto met = model::exceeded_limit(order(), *usage, parts_.settings->config.enforce.mem)) command(*met);
  }
  const bool first = told_ns_ == 0 && now - state().started_s * 1'000'000'000 >= first_report_ns;
  const bool due = told_ns_ != 0 && model::worth_reporting(*usage, told_, (now - told_ns_) / 1'000'000'000, p.report_interval_s);
  if (!first && !due) return;
  told_ns_ = now;
  told_ = *usage;
  tell_server([&](auto m) {
    auto r = m.initRunUsage();
    fill_ref(r.initRef());
    fill_usage(*usage, r.initUsage());
    r.setSession(state().session);
    r.setJobdir(state().jobdir);
  });
}

}  // namespace annals::actors
