#include "actors/server/host_actor.hpp"

#include <chrono>
#include <set>

namespace annals::actors {

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

host_actor::host_actor(caf::actor_config& cfg, shell_parts parts, caf::actor gateway, std::uint64_t stream, model::site_ptr site)
    : shell(cfg, std::move(parts), stream, std::move(site)), gateway_(std::move(gateway)) {
  delayed_send(this, comeback, still_silent_atom::value);
}

caf::message_handler host_actor::more_handlers() {
  return {
      [this](mom_connected& m) { on_connected(m); },
      [this](const mom_gone& m) { on_gone(m); },
      [this](still_silent_atom) {
        if (!peer_) receive({model::host_silent{"no contact since the server's start"}, mom(), {}, nullptr, nullptr, {}, 0, {}});
      },
      [this](post_to_host& p) {
        if (peer_) peer_->send(p.message);
        owed_[p.key] = std::move(p.message);
      },
      [this](const withdraw_from_host& w) { owed_.erase(w.key); },
  };
}

void host_actor::on_connected(mom_connected& m) {
  const auto hello = m.hello.get().getHello();
  const auto uuid = hello.getLogUuid();
  const bool log_is_new = !state().log_uuid.empty() &&
                          std::string_view(reinterpret_cast<const char*>(uuid.begin()), uuid.size()) != state().log_uuid;
  if (peer_ && peer_ != m.peer) peer_->close("the MoM connected anew");
  peer_ = m.peer;
  receive({model::mom_hello{m.hello, host_part(m.peer->peer().address)}, mom(), {}, nullptr, nullptr, {}, 0, {}});
  compare_runs(hello, m.expected, log_is_new);
  for (const auto& [key, message] : owed_) peer_->send(message);
  // The welcome comes last: who has it has heard what was owed, hooks among it.
  peer_->send(schema::make<schema::ToMom>([&](schema::ToMom::Builder w) {
    auto welcome = w.initWelcome();
    welcome.setServerName(site().server_name);
    welcome.setUsageIntervalSeconds(usage_interval_s);
  }));
}

// What the MoM has and what the log says it has: each difference is put to the job, which knows what it means.
void host_actor::compare_runs(schema::MomHello::Reader hello, const std::vector<expected_run>& expected, bool log_is_new) {
  std::set<std::pair<std::uint64_t, std::uint32_t>> there;
  for (auto run : hello.getRuns()) {
    there.emplace(run.getJobSerial(), run.getRun());
    send(gateway_, run_present{run.getJobSerial(), run.getRun(), schema::str(run.getJob()), state().name});
  }
  for (const auto& run : expected) {
    if (there.contains({run.serial, run.run})) continue;
    // The job hears that this run is lost, so its order must not start it after that.
    if (log_is_new) owed_.erase(std::to_string(run.number) + "." + site().server_name + "/start:" + std::to_string(run.run));
    send(gateway_, run_missing{run, log_is_new});
  }
  // What the MoM does not have needs no discarding.
  std::erase_if(owed_, [&](const auto& debt) {
    if (debt.second.get().which() != schema::ToMom::DISCARD_RUN) return false;
    const auto ref = debt.second.get().getDiscardRun();
    return !there.contains({ref.getJobSerial(), ref.getRun()});
  });
}

void host_actor::on_gone(const mom_gone& m) {
  if (m.peer != peer_) return;             // an older connection
  peer_ = nullptr;
  receive({model::host_silent{m.why}, mom(), {}, nullptr, nullptr, {}, 0, {}});
}

}  // namespace annals::actors
