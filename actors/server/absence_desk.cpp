#include "actors/server/absence_desk.hpp"

#include <algorithm>
#include <cstdlib>

#include "events/attributes/ids.hpp"

namespace annals::actors {

namespace {
constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t repeat = 60 * second;

// Nothing: unset or 0, runs wait for their host for ever. Less than 0 is 1.
std::optional<std::int64_t> patience_ns(const model::site& site) {
  const auto text = site.server.get(attributes::server::node_fail_requeue);
  const auto seconds = text ? std::strtoll(std::string(*text).c_str(), nullptr, 10) : 0;
  if (seconds == 0) return std::nullopt;
  return std::max<std::int64_t>(seconds, 1) * second;
}
}  // namespace

void absence_desk::fold(const log::record& record) {
  const auto r = record.get();
  const auto event = record.event();
  if (event.isHostAdded()) names_[r.getStream()] = schema::str(event.getHostAdded().getName());
  if (event.isHostWentDown()) absent_[r.getStream()] = {r.getWallNs()};
  if (event.isHostCameUp() || event.isHostRemoved()) absent_.erase(r.getStream());
  if (event.isHostRemoved()) names_.erase(r.getStream());
}

std::int64_t absence_desk::due_ns(const absence& a, std::int64_t patience) const {
  return a.told_ns != 0 ? a.told_ns + repeat : std::max(a.since_ns, began_ns_) + patience;
}

std::vector<std::string> absence_desk::given_up(std::int64_t now_ns, const model::site& site) {
  std::vector<std::string> hosts;
  const auto patience = patience_ns(site);
  if (!patience) return hosts;
  for (auto& [stream, a] : absent_) {
    if (now_ns < due_ns(a, *patience)) continue;
    a.told_ns = now_ns;
    hosts.push_back(names_[stream]);
  }
  return hosts;
}

std::optional<std::int64_t> absence_desk::next_ns(const model::site& site) const {
  const auto patience = patience_ns(site);
  std::optional<std::int64_t> next;
  if (patience)
    for (const auto& [stream, a] : absent_) next = std::min(next.value_or(due_ns(a, *patience)), due_ns(a, *patience));
  return next;
}

}  // namespace annals::actors
