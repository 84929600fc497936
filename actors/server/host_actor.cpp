#include "actors/server/host_actor.hpp"

#include <chrono>

#include "actors/link/wire/own_stop.hpp"
#include "actors/server/order_keys.hpp"
#include "events/model/host/down_reasons.hpp"
#include "events/model/host/vnode_limit.hpp"

namespace annals::actors {

template class event_sourced_actor<host_aggregate>;

namespace reasons = model::down_reasons;

namespace {
using still_silent_atom = caf::atom_constant<caf::atom("stillsilnt")>;
// After a restart of the server a MoM is back within its longest pause between two attempts (5 s); one that is not by
// then is down.
constexpr auto comeback = std::chrono::seconds(10);
// How often a MoM tells the usage of its jobs (pbs guide: about every 10 s).
constexpr std::uint32_t usage_interval_s = 10;

// "10.0.0.3" of "10.0.0.3:40312", and of "[::1]:40312" what stands in the brackets.
std::string host_part(const std::string& address) {
  auto host = address.substr(0, address.rfind(':'));
  if (host.size() > 1 && host.front() == '[') host = host.substr(1, host.size() - 2);
  return host;
}
}  // namespace

host_actor::host_actor(caf::actor_config& cfg, event_sourced_actor_parts parts, caf::actor gateway, std::uint64_t stream,
                       model::settings_ptr settings, model::host_state known)
    : event_sourced_actor(cfg, std::move(parts), stream, std::move(settings), std::move(known)), gateway_(std::move(gateway)) {
  delayed_send(this, comeback, still_silent_atom::value);
}

caf::message_handler host_actor::more_handlers() {
  return {
      [this](mom_connected& m) { on_connected(m); },
      [this](const mom_gone& m) { on_gone(m); },
      [this](still_silent_atom) {
        if (!peer_) went_down(std::string(reasons::never_came));
      },
      [this](post_to_host& p) { on_post(p); },
      [this](const withdraw_from_host& w) { on_withdraw(w); },
      [this](const ticket_wanted& t) { on_ticket_wanted(t); },
  };
}

// Of a host that is down nobody waits to hear that a run is gone: nobody gets its vnodes, and it is up again only without it.
void host_actor::on_change() {
  tell_why_it_is_held();
  if (state().up) return;
  owed_.each([this](const order_key&, const auto& message) {
    if (message.get().isDiscardRun()) give_up(message.get().getDiscardRun());
  });
}

void host_actor::give_up(schema::RunRef::Reader run) {
  if (held_)  // the MoM is back meanwhile
    for (auto there : held_->hello.message.get().getHello().getRuns())
      if (there.getJobSerial() == run.getJobSerial() && there.getRun() == run.getRun())
        held_->unwanted.insert(discard_key(run.getJobSerial(), run.getRun()));
  send(gateway_, discard_settled{run.getJobSerial(), run.getRun(), state().name, true});
}

void host_actor::on_post(post_to_host& p) {
  if (p.renewed && !owed_.contains(p.key)) return;  // withdrawn meanwhile
  if (peer_) peer_->send(p.message);
  const auto m = p.message.get();
  if (m.isDiscardRun() && !state().up) give_up(m.getDiscardRun());
  owed_.put(p.key, std::move(p.message));
}

// By the gateway, which signs tickets and sends the order back.
void host_actor::on_ticket_wanted(const ticket_wanted& t) {
  owed_.each([&](const order_key& key, const auto& message) {
    if (!message.get().isStartRun()) return;
    const auto ref = message.get().getStartRun().getRef();
    if (ref.getJobSerial() == t.serial && ref.getRun() == t.run) send(gateway_, post_to_host{state().name, key, message, true});
  });
}

void host_actor::on_withdraw(const withdraw_from_host& w) {
  owed_.withdraw(w.key);
  if (!held_ || held_->unwanted.erase(w.key) == 0) return;
  held_->unknown.erase(w.key);
  come_up_if_rid();
}

void host_actor::on_connected(mom_connected& m) {
  if (m.settings) set_settings(std::move(m.settings));
  const auto hello = m.hello.get().getHello();
  const auto uuid = hello.getLogUuid();
  const bool log_is_new = !state().log_uuid.empty() &&
                          std::string_view(reinterpret_cast<const char*>(uuid.begin()), uuid.size()) != state().log_uuid;
  if (peer_ && peer_ != m.peer) peer_->close("the MoM connected anew");
  auto unwanted = unwanted_runs(m);
  keys unknown;
  for (const auto& run : m.kept) unknown.insert(discard_key(run.serial, run.run));
  if (std::exchange(peer_, m.peer) == m.peer) {
    // At HUP. Orders are on their way, in both directions: what the MoM did not have when it said this may be there now.
    if (held_) unwanted.merge(held_->unwanted);
    if (held_) unknown.merge(held_->unknown);
  } else {
    unwanted.merge(compare_runs(m, log_is_new));
  }
  const auto refused = m.refused.empty() ? model::vnodes_refusal(state(), hello, settings()) : std::optional(m.refused);
  held_ = held_hello{{m.hello, host_part(m.peer->peer().address), refused.value_or("")}, std::move(unwanted), std::move(unknown)};
  come_up_if_rid();
  owed_.each([this](const order_key&, const auto& message) { peer_->send(message); });
  // The welcome comes last: who has it has heard what was owed, hooks among it.
  peer_->send(schema::make<schema::ToMom>([&](schema::ToMom::Builder w) {
    auto welcome = w.initWelcome();
    welcome.setServerName(settings().server_name);
    welcome.setUsageIntervalSeconds(usage_interval_s);
    if (refused) welcome.setVnodesRefused(*refused);
  }));
}

void host_actor::come_up_if_rid() {
  if (!held_) return;
  if (!held_->unwanted.empty()) return tell_why_it_is_held();
  receive({std::exchange(held_, std::nullopt)->hello, mom(), {}, nullptr, nullptr, {}, 0, {}});
}

// The rules take nothing that they know already.
void host_actor::tell_why_it_is_held() {
  if (!held_ || held_->unwanted.empty()) return;
  const auto why = held_->unknown.empty() ? reasons::has_unwanted_runs : reasons::has_unknown_runs;
  went_down(std::string(why));
}

void host_actor::went_down(std::string why) {
  receive({model::host_silent{std::move(why)}, mom(), {}, nullptr, nullptr, {}, 0, {}});
}

// Runs that no job has: the MoM must be rid of them first.
host_actor::keys host_actor::unwanted_runs(const mom_connected& m) {
  keys unwanted;
  for (const auto& run : m.unwanted) {
    const auto key = discard_key(run.serial, run.run);
    unwanted.insert(key);
    owed_.put(key, discard_message(run));
  }
  for (const auto& run : m.kept) unwanted.insert(discard_key(run.serial, run.run));
  return unwanted;
}

// What a MoM has that connects, and what the log says it has: each difference is put to the job, which knows what it means. Returned: more
// runs that the MoM must be rid of first.
host_actor::keys host_actor::compare_runs(const mom_connected& m, bool log_is_new) {
  keys unwanted;
  std::set<std::pair<std::uint64_t, std::uint32_t>> there;
  for (auto run : m.hello.get().getHello().getRuns()) there.emplace(run.getJobSerial(), run.getRun());
  for (const auto& run : m.expected) {
    if (there.contains({run.serial, run.run})) continue;
    // Also one of which the job did not hear before this server stopped. Its order must not start it after that.
    const bool lost = log_is_new || run.assigned < state().log_since;
    if (lost) owed_.withdraw(key_of(run.serial, model::start_run{state().name, run.run}));
    send(gateway_, run_missing{run, lost});
  }
  // What the MoM does not have needs no discarding.
  owed_.withdraw_if([&](const order_key&, const auto& message) {
    if (message.get().which() != schema::ToMom::DISCARD_RUN) return false;
    const auto ref = message.get().getDiscardRun();
    if (there.contains({ref.getJobSerial(), ref.getRun()})) {
      // It was given up when the host went down. That may not be in the log yet, and it is there all the same.
      if (!state().up) unwanted.insert(discard_key(ref.getJobSerial(), ref.getRun()));
      return false;
    }
    send(gateway_, discard_settled{ref.getJobSerial(), ref.getRun(), state().name, false});
    return true;
  });
  return unwanted;
}

void host_actor::on_gone(const mom_gone& m) {
  if (m.peer != peer_) return;  // an older connection
  peer_ = nullptr;
  held_.reset();
  went_down(m.why == wire::own_stop ? std::string(reasons::server_stopped) : m.why);
}

}  // namespace annals::actors
