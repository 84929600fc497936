#include "test/sim/suspension.hpp"

#include <algorithm>

namespace annals::sim {

void suspended_jobs::fold(const log::record& r) {
  if (!r.event().isJob()) return;
  const auto event = r.event().getJob();
  auto& j = jobs_[r.get().getStream()];
  const auto key = [&] { return values::run_key{j.id, j.run}; };
  if (event.isQueued()) j.id = schema::str(event.getQueued().getId());
  if (event.isAssigned()) {
    j.run = event.getAssigned().getRun();
    j.by_hand = false;
    j.loaded.clear();
  }
  if (event.isSuspended() || event.isResumed()) j.by_hand = event.isSuspended();
  const bool of_load = event.isSignalled() && event.getSignalled().getLoadHost().size() > 0;
  if (of_load && event.getSignalled().getStopped()) j.loaded.insert(schema::str(event.getSignalled().getLoadHost()));
  else if (of_load) j.loaded.erase(schema::str(event.getSignalled().getLoadHost()));
  const bool stops = j.by_hand || !j.loaded.empty();
  if (event.isStarted() || event.isSuspended() || event.isResumed()) runs_[key()] = {stops, r.get().getWallNs()};
  if (const auto known = runs_.find(key()); of_load && known != runs_.end() && known->second.suspended != stops)
    known->second = {stops, r.get().getWallNs()};
  if (event.isDeleteRequested() || event.isRerunRequested() || event.isExited()) runs_.erase(key());
}

std::string suspended_jobs::fault(const values::run_key& run, bool stopped, std::int64_t began_ns, std::int64_t now_ns) const {
  constexpr std::int64_t told_within_ns = 6'000'000'000;  // server, primary, sister, host: a word may be two seconds on each way
  const auto at = runs_.find(run);
  if (at == runs_.end() || stopped == at->second.suspended) return "";
  if (now_ns - std::max(began_ns, at->second.since_ns) < told_within_ns) return "";
  return stopped ? "is stopped, its job is not suspended" : "goes on, its job is suspended";
}

}  // namespace annals::sim
