#include "actors/server/job_actor.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "actors/server/discards.hpp"

namespace annals::actors {

namespace {

// What a host is owed is sent again in the order of its keys: wishes come after the order they belong to, oldest first.
std::string wish_key(const model::tell_run& debt) {
  char id[24];
  std::snprintf(id, sizeof id, "%020llu", static_cast<unsigned long long>(debt.wish.id));
  return "wish:" + std::to_string(debt.run) + ":" + id;
}

std::string discard_key_on(const model::discard_run& debt) { return "discard:" + std::to_string(debt.run) + ":" + debt.host; }

void fill_wish(schema::Wish::Builder to, const model::run_wish& from) {
  to.setId(from.id);
  switch (from.what) {
    case model::run_wish::kind::signal: return to.setSignal(from.text);
    case model::run_wish::kind::suspend: return to.setSuspend();
    case model::run_wish::kind::resume: return to.setResume();
    case model::run_wish::kind::message: {
      auto m = to.initMessage();
      m.setText(from.text);
      m.setToErrors(from.to_errors);
      m.setToOutput(from.to_output);
    }
  }
}

}  // namespace

using wake_atom = caf::atom_constant<caf::atom("wake")>;

job_actor::job_actor(caf::actor_config& cfg, job_parts parts, std::uint64_t number, std::uint64_t stream, model::site_ptr site)
    : shell(cfg, parts.shell, stream, std::move(site)), parts_(std::move(parts)), number_(number) {}

caf::message_handler job_actor::more_handlers() {
  return {
      [this](wake_atom, std::int64_t generation) {
        if (generation != timer_ns_) return;      // an older timer
        timer_ns_ = 0;
        receive({model::end_wait{}, {"", state().id, schema::Role::SERVER}, {}, nullptr, nullptr, {}, 0, {}});
      },
      [this](may_you_leave question) {
        told_idle_ = false;                       // whatever keeps it now: it says again when it is idle
        if (idle() && !owes()) send(parts_.gateway, i_may_leave{number_, question.sent});
      },
  };
}

// The debts of the new state are paid, those it no longer has are withdrawn.
void job_actor::on_change() {
  std::vector<std::string> still_owed;
  bool waits = false;
  for (const auto& debt : model::pending_effects(state(), site())) {
    if (const auto* start = std::get_if<model::start_run>(&debt)) {
      still_owed.push_back("start:" + std::to_string(start->run));
      pay(*start);
    } else if (const auto* signal = std::get_if<model::signal_run>(&debt)) {
      still_owed.push_back("signal:" + std::to_string(signal->run) + ":" + std::to_string(signal->id));
      pay(*signal);
    } else if (const auto* told = std::get_if<model::tell_run>(&debt)) {
      still_owed.push_back(wish_key(*told));
      pay(*told);
    } else if (const auto* discard = std::get_if<model::discard_run>(&debt)) {
      still_owed.push_back(discard_key_on(*discard));
      pay(*discard);
    } else {
      waits = true;
      pay(std::get<model::wake_at>(debt));
    }
  }
  if (!waits) timer_ns_ = 0;
  withdraw_rest(still_owed);
}

void job_actor::pay(const model::start_run& debt) {
  const auto key = "start:" + std::to_string(debt.run);
  if (!owed_.emplace(key, debt.host).second) return;
  std::optional<std::vector<std::byte>> script;
  if (!state().script_hash.empty() && state().script_size <= limits::inline_blob_bytes_max)
    script = parts().reader->store().read_blob(state().script_hash);
  send(parts_.gateway, post_to_host{debt.host, state().id + "/" + key,
                                    model::start_order(state(), site(), script ? schema::byte_span(*script) : schema::byte_span())});
}

void job_actor::pay(const model::signal_run& debt) {
  const auto key = "signal:" + std::to_string(debt.run) + ":" + std::to_string(debt.id);
  if (!owed_.emplace(key, debt.host).second) return;
  auto message = schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto s = m.initSignalRun();
    auto ref = s.initRef();
    ref.setJobSerial(state().serial);
    ref.setRun(debt.run);
    ref.setJob(state().id);
    s.setId(debt.id);
    s.setSignal(debt.signal);
    s.setKillDelaySeconds(debt.kill_delay_s);
    s.setExitStatus(debt.exit_status);
    s.setOverridesExit(debt.overrides_exit);
  });
  send(parts_.gateway, post_to_host{debt.host, state().id + "/" + key, std::move(message)});
}

void job_actor::pay(const model::tell_run& debt) {
  const auto key = wish_key(debt);
  if (!owed_.emplace(key, debt.host).second) return;
  auto message = schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto t = m.initTellRun();
    auto ref = t.initRef();
    ref.setJobSerial(state().serial);
    ref.setRun(debt.run);
    ref.setJob(state().id);
    fill_wish(t.initWish(), debt.wish);
  });
  send(parts_.gateway, post_to_host{debt.host, state().id + "/" + key, std::move(message)});
}

void job_actor::pay(const model::discard_run& debt) {
  const auto key = discard_key_on(debt);
  if (!owed_.emplace(key, debt.host).second) return;
  send(parts_.gateway, post_to_host{debt.host, state().id + "/" + key, discard_message({state().serial, debt.run, state().id})});
}

void job_actor::pay(const model::wake_at& debt) {
  if (timer_ns_ == debt.wall_ns) return;
  timer_ns_ = debt.wall_ns;
  const auto wait = std::max<std::int64_t>(0, debt.wall_ns - parts().clock->now_ns());
  delayed_send(this, std::chrono::nanoseconds(wait), wake_atom::value, timer_ns_);
}

void job_actor::withdraw_rest(const std::vector<std::string>& still_owed) {
  for (auto at = owed_.begin(); at != owed_.end();) {
    if (std::find(still_owed.begin(), still_owed.end(), at->first) != still_owed.end()) {
      ++at;
      continue;
    }
    send(parts_.gateway, withdraw_from_host{at->second, state().id + "/" + at->first});
    at = owed_.erase(at);
  }
}

void job_actor::after_turn() {
  // The timer fired before the time had come (the clock was set back): it is set again.
  if (stream() != 0 && state().phase == model::job_phase::waiting && timer_ns_ == 0)
    pay(model::wake_at{state().execution_time * 1'000'000'000});
  const bool idle_now = !owes();
  const bool ended = stream() == 0 || state().ended();       // a refused submission has no stream
  if (idle_now && (!told_idle_ || ended)) send(parts_.gateway, job_idle{number_, ended});
  told_idle_ = idle_now;
}

}  // namespace annals::actors
