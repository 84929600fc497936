// What goes wrong in the simulated world, drawn anew at every step.
#include <algorithm>

#include "test/sim/network.hpp"
#include "test/sim/processes.hpp"
#include "test/sim/world.hpp"

namespace annals::sim {

namespace {
constexpr std::int64_t heartbeats_missed = 10 * second;  // then whoever talks with it gives the link up
}  // namespace

void world::maybe_fault() {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    auto& p = *processes_[i];
    const double rate = i == 0 ? o.server_crash : i < first_mom() ? o.scheduler_crash
                                                                  : o.mom_crash;
    if (p.up() && (p.wants_crash || (faults_on_ && chance(rate)))) {
      p.crash();
      p.wants_crash = false;
      if (i == 0 || i >= first_mom()) restart_at_[i] = clock.now + pick_ns(0, 5 * second);  // schedulers are the server's to start
    }
    if (const auto at = restart_at_.find(i); at != restart_at_.end() && at->second <= clock.now) {
      restart_at_.erase(at);
      p.start();
    }
  }
  if (faults_on_ && chance(o.link_break)) {
    const auto open = net.open_links();
    if (!open.empty()) net.break_link(open[random() % open.size()], "a drawn fault");
  }
  if (faults_on_ && disk_heals_at_ <= clock.now && chance(o.disk_full)) {
    disk_heals_at_ = clock.now + pick_ns(second, 10 * second);
    server_store().set_disk_full(true);
    at(disk_heals_at_, client_alive_, [this] { server_store().set_disk_full(false); });
  }
  if (faults_on_) fault_hosts();
  if (faults_on_) fault_schedulers();
  if (faults_on_) fault_clocks();
}

// -- clocks ------------------------------------------------------------------------------------------------------------------

void world::fault_clocks() {
  constexpr std::int64_t week = 604'800 * second;
  if (!chance(o.clock_step)) return;
  const auto drawn = random() % (processes_.size() - first_mom() + 1);  // of the server or a MoM
  auto& wrong = clock_of(drawn == 0 ? 0 : first_mom() + drawn - 1);
  wrong.ahead_ns = pick_ns(-week, week);
  at(clock.now + pick_ns(second, 20 * second), client_alive_, [&wrong] { wrong.ahead_ns = 0; });
}

// -- schedulers --------------------------------------------------------------------------------------------------------------

void world::fault_schedulers() {
  if (!chance(o.scheduler_trouble)) return;
  const auto i = 1 + random() % (first_mom() - 1);
  const auto until = clock.now + pick_ns(second, 20 * second);
  if (random() % 2) return cut(0, i, until);
  still_until_[i] = std::max(still_until_[i], until);
  if (until - clock.now > heartbeats_missed)
    at(clock.now + heartbeats_missed, client_alive_, [this, i] {
      if (stands_still(i)) net.break_all_of(processes_[i]->alive());
    });
}

std::size_t world::scheduler_named(const std::string& name) const {
  std::size_t i = 1;
  while (i < first_mom() && scheduler(i).name() != name) ++i;
  return i;
}

bool world::start_scheduler(const std::string& name) {
  const auto i = scheduler_named(name);
  if (i == first_mom() || processes_[i]->up() || (o.late_scheduler && !late_one_came_ && i == late_one)) return false;
  restart_at_[i] = clock.now;
  return true;
}

void world::end_scheduler(const std::string& name) {
  const auto i = scheduler_named(name);
  if (i < first_mom() && processes_[i]->up()) processes_[i]->wants_crash = true;
}

// -- hosts -------------------------------------------------------------------------------------------------------------------

void world::fault_hosts() {
  const auto any_mom = [&] { return first_mom() + random() % (processes_.size() - first_mom()); };
  const auto any = [&] { return random() % (processes_.size() - 1) == 0 ? 0 : any_mom(); };
  if (chance(o.power_off)) {
    const auto i = any_mom();
    auto& p = static_cast<mom_process&>(*processes_[i]);
    p.wants_crash = false;
    p.power_off(chance(o.new_disk));
    restart_at_[i] = clock.now + pick_ns(second, 40 * second);
  }
  if (chance(o.pause)) {
    const auto i = any();
    const auto until = clock.now + pick_ns(0, 20 * second);
    still_until_[i] = std::max(still_until_[i], until);
    if (until - clock.now > heartbeats_missed)
      at(clock.now + heartbeats_missed, client_alive_, [this, i] {
        if (stands_still(i)) net.break_all_of(processes_[i]->alive());
      });
  }
  if (chance(o.partition)) {
    const auto until = clock.now + pick_ns(second, 60 * second);
    const auto a = any_mom(), b = any();
    if (a == b)  // from everybody
      for (std::size_t i = 0; i < processes_.size(); ++i) cut(a, i, until);
    else cut(a, b, until);
  }
}

void world::cut(std::size_t a, std::size_t b, std::int64_t until) {
  cut_until_[std::minmax(a, b)] = until;
  net.break_between(processes_[a]->alive(), processes_[b]->alive());
}

bool world::can_talk(std::size_t a, std::size_t b) const {
  const auto at = cut_until_.find(std::minmax(a, b));
  if (at != cut_until_.end() && at->second > clock.now) return false;
  return !stands_still(a) && !stands_still(b);
}

bool world::stands_still(std::size_t i) const {
  const auto at = still_until_.find(i);
  return at != still_until_.end() && at->second > clock.now;
}

// A stopped process sees the time it missed when it goes on.
void world::let_time_pass(std::size_t i, std::int64_t ns) {
  auto& missed = missed_ns_[i];
  missed += ns;
  if (stands_still(i)) return;
  processes_[i]->advance(std::exchange(missed, 0));
}

}  // namespace annals::sim
