#include "actors/server/job_actor.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "actors/server/discards.hpp"
#include "actors/server/resting_jobs.hpp"
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
    case model::run_request::kind::message: {
      auto m = to.initMessage();
      m.setText(from.text);
      m.setToErrors(from.to_errors);
      m.setToOutput(from.to_output);
    }
  }
}

using start_wait_atom = caf::atom_constant<caf::atom("startwait")>;
using taking_wait_atom = caf::atom_constant<caf::atom("takingwait")>;

// Of a command that is in the actor's own hands: it must not keep the actor alive.
class when_taken_in final : public reply_to {
 public:
  when_taken_in(const caf::actor& job, reply_ptr to) : job_(caf::actor_cast<caf::actor_addr>(job)), to_(std::move(to)) {}
  void done(std::uint64_t sequence, const std::string& text) override {
    if (const auto job = caf::actor_cast<caf::actor>(job_)) caf::anon_send(job, release_on_disk{to_, sequence, text});
    else to_->done(sequence, text);
  }
  void refused(std::uint64_t sequence, const model::rejection& why) override { to_->refused(sequence, why); }

 private:
  const caf::actor_addr job_;
  const reply_ptr to_;
};

// Every effect but wake_at is an order to a host.
template <class Order>
constexpr bool is_order = !std::is_same_v<Order, model::wake_at>;

}  // namespace

job_actor::job_actor(caf::actor_config& cfg, job_parts parts, std::uint64_t number, std::uint64_t stream, model::settings_ptr settings)
    : effect_running_actor(cfg, parts.base, stream, std::move(settings)), parts_(std::move(parts)), number_(number) {}

caf::message_handler job_actor::other_handlers() {
  return {
      [this](may_you_leave question) {
        told_idle_ = false;  // whatever keeps it now: it says again when it is idle
        if (idle() && !owes()) send(parts_.gateway, i_may_leave{number_, question.sent});
      },
      [this](read_on_atom) {
        read_on();
        if (idle()) after_turn();
      },
      [this](const run_user_wanted& w) {
        send(parts_.gateway, run_user{w.connection, model::identity_of_run(state(), w.run, w.host)});
        if (idle()) after_turn();  // it may have been woken for this alone
      },
      [this](told_when_it_runs& t) { tell_when_it_runs(std::move(t.what)); },
      [this](start_wait_atom, std::uint64_t number) { start_wait_is_over(number); },
      [this](release_on_disk& r) { on_release(r); },
      [this](taking_wait_atom, std::uint64_t number) {
        if (const auto late = not_taken_in_.extract(number))
          late.mapped().told.reply->done(late.mapped().told.sequence, "its first host has not said that the node file is new");
        if (idle()) after_turn();
      },
      [this](const terminal_wanted& w) {
        send(parts_.gateway, terminal_judged{w.connection, model::terminal_refusal(state(), w.by)});
        if (idle()) after_turn();
      },
  };
}

// -- commands that wait for the start --------------------------------------------------------------------------------------------

void job_actor::tell_when_it_runs(envelope_type e) {
  if (e.reply) e.reply = std::make_shared<when_taken_in>(caf::actor(this), std::move(e.reply));
  if (!state().comes_to_run()) return receive(std::move(e));
  if (e.settings) set_settings(std::exchange(e.settings, nullptr));  // older than others by then
  waiting_.emplace(++waits_, std::move(e));
  delayed_send(this, std::chrono::seconds(limits::start_word_s), start_wait_atom::value, waits_);
}

void job_actor::start_wait_is_over(std::uint64_t number) {
  if (auto waited = waiting_.extract(number)) receive(std::move(waited.mapped()));
}

// -- releases that the first host takes in ------------------------------------------------------------------------------------------

// 0: there is none.
std::uint64_t job_actor::last_release() const {
  std::uint64_t last = 0;
  for (const auto& r : state().requests)
    if (r.what == model::run_request::kind::release) last = std::max(last, r.id);
  return last;
}

void job_actor::on_release(release_on_disk& r) {
  const auto request = last_release();
  if (request == 0) return r.reply->done(r.sequence, r.text);
  not_taken_in_.emplace(++waits_, untaken_release{request, std::move(r)});
  delayed_send(this, std::chrono::seconds(limits::node_file_word_s), taking_wait_atom::value, waits_);
}

void job_actor::on_change() {
  effect_running_actor::on_change();
  std::erase_if(not_taken_in_, [this](auto& entry) {
    auto& [request, told] = entry.second;
    if (std::ranges::count(state().requests, request, &model::run_request::id) > 0) return false;
    told.reply->done(told.sequence, told.text);
    return true;
  });
  if (state().comes_to_run()) return;
  for (auto& [number, e] : std::exchange(waiting_, {})) receive(std::move(e));
}

// -- effects ---------------------------------------------------------------------------------------------------------------------

std::vector<model::job_effect> job_actor::owed() { return model::pending_effects(state(), settings()); }

effect_time job_actor::when(const model::job_effect& effect) const {
  const auto* wake = std::get_if<model::wake_at>(&effect);
  return {wake ? wake->wall_ns : 0, 0};
}

// A host's actor keeps what its host is owed, and sends it again over each new connection until it is withdrawn.
begun job_actor::begin(const model::job_effect& effect) {
  std::visit([&](const auto& e) {
    if constexpr (is_order<std::decay_t<decltype(e)>>)
      send(parts_.gateway, post_to_host{e.host, order_key(state().id, effect), message_of(e)});
    else
      send(this, envelope_type{model::end_wait{}, {"", state().id, schema::Role::SERVER}, {}, nullptr, nullptr, {}, 0, {}});
  },
             effect);
  return begun::yes;
}

void job_actor::withdraw(const model::job_effect& effect) {
  std::visit([&](const auto& e) {
    if constexpr (is_order<std::decay_t<decltype(e)>>) send(parts_.gateway, withdraw_from_host{e.host, order_key(state().id, effect)});
  },
             effect);
}

schema::sealed<schema::ToMom> job_actor::message_of(const model::start_run&) const {
  std::optional<std::vector<std::byte>> script;
  if (!state().script_hash.empty() && state().script_size <= limits::inline_blob_bytes_max)
    script = parts().reader->blobs().read_blob(state().script_hash);
  return model::start_order(state(), settings(), script ? schema::byte_span(*script) : schema::byte_span());
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
