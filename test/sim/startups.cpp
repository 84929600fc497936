#include "test/sim/startups.hpp"

#include <algorithm>
#include <sstream>

#include "events/log/log_reader.hpp"
#include "test/sim/network.hpp"
#include "test/sim/processes.hpp"

namespace annals::sim {

namespace {

// How long before the program a host can have failed unseen: its link is known to be broken at once, and the question to one that stands
// still was on its way, or is not older than what has been written since.
constexpr std::int64_t unseen_dead_ns = 1'000'000, unseen_silent_ns = 100'000'000;

}  // namespace

std::string keep_select_of(const startup& s) { return std::to_string(s.hosts) + ":ncpus=1"; }

std::vector<asked_value> words_of(const startup& s) {
  const auto padded = std::to_string(s.hosts + s.spares) + ":ncpus=1";
  std::vector<asked_value> words{{"Resource_List", "select", s.by_hook ? padded : keep_select_of(s)},
                                 {"Resource_List", "place", "scatter"},
                                 {"tolerate_node_failures", "", s.tolerates}};
  if (!s.by_hook && s.spares > 0) words.push_back({"Resource_List", "rjselect", padded});
  return words;
}

std::uint64_t watched_start::seen_of(const std::string& mom) const {
  const auto at = seen_.find(mom);
  return at == seen_.end() ? 0 : at->second;
}

bool watched_start::sees(const std::string& mom, const log::record& r) {
  seen_[mom] = r.sequence();
  if (!r.event().isRun()) return false;
  const auto e = r.event().getRun();
  if (e.isReceived()) {
    known_.clear();
    sisters_.clear();
    const auto order = schema::sealed_message::from_bytes(schema::bytes_of(e.getReceived().getOrder()));
    if (order)
      for (auto s : order->root<schema::ToMom>().getStartRun().getSisters()) sisters_.push_back(schema::str(s.getHost()));
  }
  if (e.isSisterFailed()) known_.insert(schema::str(e.getSisterFailed().getHost())), ++failures_;
  return ++events_ == about_.at_event;
}

std::string watched_start::fault_of(const std::vector<std::string>& hosts, std::int64_t now_ns) const {
  const bool bears = about_.tolerates != "none";
  for (const auto& host : hosts) {
    const bool may_stay = bears && about_.spares == 0 && known_.contains(host);  // it is borne, and nobody takes its place
    if (known_.contains(host) && !may_stay) return "the program starts on " + host + ", which has failed";
    const auto at = failed_ns_.find(host);
    const auto unseen_ns = about_.silent ? unseen_silent_ns : unseen_dead_ns;
    if (at != failed_ns_.end() && !may_stay && now_ns - at->second > unseen_ns)
      return "the program starts on " + host + ", which failed " + std::to_string((now_ns - at->second) / 1'000'000) + " ms ago";
  }
  const auto least = static_cast<std::size_t>(about_.hosts);
  return hosts.size() < least ? "the program starts on " + std::to_string(hosts.size()) + " hosts of " + std::to_string(least) : "";
}

// -- in the world --------------------------------------------------------------------------------------------------------------

void world::look_at_start(mom_process& mom) {
  (void)log::log_reader(*mom.store).read(start_.seen_of(mom.name()) + 1, [&](const log::record_ptr& r) {
    if (start_.sees(mom.name(), *r)) at(clock.now + o.start.delay_ns, client_alive_, [this] { fail_sisters(); });
    return true;
  });
}

void world::fail_sisters() {
  constexpr auto away_ns = 90 * second, heartbeats_missed_ns = 10 * second;
  auto sisters = start_.sisters();
  std::ranges::shuffle(sisters, random);
  for (int n = 0; n < o.start.victims && n < static_cast<int>(sisters.size()); ++n) {
    const auto& host = sisters[static_cast<std::size_t>(n)];
    const auto i = index_of(host);
    start_.fails(host, clock.now);
    at(clock.now + away_ns, client_alive_, [this, host] { start_.comes_back(host); });
    if (!o.start.silent) {
      static_cast<mom_process&>(*processes_[i]).power_off(false);
      restart_at_[i] = clock.now + away_ns;
      continue;
    }
    still_until_[i] = clock.now + away_ns;
    at(clock.now + heartbeats_missed_ns, client_alive_, [this, i] { net.break_all_of(processes_[i]->alive()); });
  }
}

void world::program_starts(const values::run_key& key, const std::string& node_file) {
  if (o.start.hosts == 0) return;
  std::vector<std::string> hosts;
  std::istringstream lines(node_file);
  for (std::string line; std::getline(lines, line);) hosts.push_back(line);
  if (const auto why = start_.fault_of(hosts, clock.now); !why.empty()) found(print(key) + ": " + why);
}

}  // namespace annals::sim
