#include "actors/server/job_actor.hpp"

#include <utility>

#include "actors/server/order_keys.hpp"
#include "events/model/limits.hpp"
#include "events/schema/daemon/from_mom.capnp.h"

namespace annals::actors {

template class event_sourced_actor<job_aggregate>;
template class effect_running_actor<job_aggregate, model::job_effect>;

bool job_aggregate::may_be_lost(const model::job_command& c) {
  const auto* report = std::get_if<model::mom_report>(&c);
  return report && report->message.get().isRunUsage();
}

namespace {

void fill_request(schema::RunRequest::Builder to, const model::run_request& from) {
  to.setId(from.id);
  switch (from.what) {
    case model::run_request::kind::signal: return to.setSignal(from.text);
    case model::run_request::kind::suspend: return to.setSuspend();
    case model::run_request::kind::resume: return to.setResume();
    case model::run_request::kind::checkpoint: return to.setCheckpoint();
    case model::run_request::kind::release: return model::write(*from.release, to.initRelease());
    case model::run_request::kind::alter:
      return model::write_changes(from.changes, to.initAltered(static_cast<unsigned>(from.changes.size())));
    case model::run_request::kind::message: {
      auto m = to.initMessage();
      m.setText(from.text);
      m.setToErrors(from.to_errors);
      m.setToOutput(from.to_output);
    }
  }
}

// Every effect but wake_at is an order to a host.
template <class Order>
constexpr bool is_order = !std::is_same_v<Order, model::wake_at>;

}  // namespace

job_actor::job_actor(caf::actor_config& cfg, job_parts parts, std::uint64_t number, std::uint64_t stream, model::settings_ptr settings)
    : effect_running_actor(cfg, parts.base, stream, std::move(settings)), parts_(std::move(parts)), number_(number) {}

caf::message_handler job_actor::other_handlers() {
  return caf::message_handler{
      [this](may_you_leave question) {
        told_idle_ = false;  // whatever keeps it now: it says again when it is idle
        if (idle() && !owes()) send(parts_.gateway, i_may_leave{number_, question.sent});
      },
      [this](read_on_atom) {
        read_on();
        if (idle()) after_turn();
      },
      [this](script_read& s) { on_script(s); },
      [this](const host_created& h) {
        owe_again(h.host);
        if (idle()) after_turn();
      },
      [this](const run_user_wanted& w) {
        send(parts_.gateway, run_user{w.connection, model::identity_of_run(state(), w.run, w.host)});
        if (idle()) after_turn();  // it may have been woken for this alone
      },
      [this](const terminal_wanted& w) {
        send(parts_.gateway, terminal_judged{w.connection, model::terminal_refusal(state(), w.by)});
        if (idle()) after_turn();
      },
  }
      .or_else(release_handlers());
}

void job_actor::on_change() {
  effect_running_actor::on_change();
  look_at_releases();
}

// -- effects ---------------------------------------------------------------------------------------------------------------------

std::vector<model::job_effect> job_actor::owed() { return model::pending_effects(state(), settings()); }

effect_time job_actor::when(const model::job_effect& effect) const {
  const auto* wake = std::get_if<model::wake_at>(&effect);
  return {wake ? wake->wall_ns : 0, 0};
}

// A host's actor keeps what its host is owed, and sends it again over each new connection until it is withdrawn.
begun job_actor::begin(const model::job_effect& effect) {
  if (std::holds_alternative<model::start_run>(effect) && !has_script()) return begun::not_yet;
  std::visit([&](const auto& e) {
    if constexpr (is_order<std::decay_t<decltype(e)>>)
      send(parts_.gateway, post_to_host{e.host, key_of(state().serial, effect), message_of(e)});
    else
      send(this, envelope_type{model::end_wait{}, {"", state().id, schema::Role::SERVER}, {}, nullptr, nullptr, {}, 0, {}});
  },
             effect);
  return begun::yes;
}

void job_actor::withdraw(const model::job_effect& effect) {
  std::visit([&](const auto& e) {
    if constexpr (is_order<std::decay_t<decltype(e)>>) send(parts_.gateway, withdraw_from_host{e.host, key_of(state().serial, effect)});
  },
             effect);
}

void job_actor::owe_again(const std::string& host) {
  effects().again([&](const model::job_effect& effect) {
    return std::visit([&](const auto& e) {
      if constexpr (is_order<std::decay_t<decltype(e)>>) return e.host == host;
      else return false;
    },
                      effect);
  });
  reconcile();
}

// A larger one is asked for by the MoM.
bool job_actor::has_script() {
  if (script_ || state().script_hash.empty() || state().script_size > limits::inline_blob_bytes_max) return true;
  if (!std::exchange(script_asked_, true)) send(parts_.scripts, script_wanted{state().script_hash, caf::actor(this)});
  return false;
}

// Without it the MoM asks for it, and is told that it is missing.
void job_actor::on_script(script_read& s) {
  script_asked_ = false;
  script_ = std::move(s.text).value_or(std::vector<std::byte>());
  reconcile();
  script_.reset();
  if (idle()) after_turn();
}

schema::sealed<schema::ToMom> job_actor::message_of(const model::start_run&) const {
  return model::start_order(state(), settings(), script_ ? schema::byte_span(*script_) : schema::byte_span());
}

schema::sealed<schema::ToMom> job_actor::message_of(const model::signal_run& order) const {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto s = m.initSignalRun();
    auto ref = s.initRef();
    ref.setJobSerial(state().serial);
    ref.setRun(order.run);
    ref.setJob(state().id);
    s.setId(order.id);
    s.setSignal(order.signal);
    s.setKillDelaySeconds(order.kill_delay_s);
    s.setExitStatus(order.exit_status);
    s.setOverridesExit(order.overrides_exit);
    s.setResendTermSeconds(order.resend_term_s);
  });
}

schema::sealed<schema::ToMom> job_actor::message_of(const model::tell_run& order) const {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto t = m.initTellRun();
    auto ref = t.initRef();
    ref.setJobSerial(state().serial);
    ref.setRun(order.run);
    ref.setJob(state().id);
    fill_request(t.initRequest(), order.request);
  });
}

schema::sealed<schema::ToMom> job_actor::message_of(const model::discard_run& order) const {
  return discard_message({state().serial, order.run, state().id});
}

void job_actor::after_turn() {
  // Woken before the time had come, because the clock was set back: it waits once more.
  if (stream() != 0 && state().phase == model::job_phase::waiting) reconcile();
  const bool idle_now = !owes();
  const bool ended = stream() == 0 || state().ended();  // a refused submission has no stream
  if (idle_now && (!told_idle_ || ended)) send(parts_.gateway, job_idle{number_, ended});
  told_idle_ = idle_now;
}

}  // namespace annals::actors
