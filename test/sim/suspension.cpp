#include "test/sim/suspension.hpp"

#include <algorithm>

namespace annals::sim {

void suspended_jobs::fold(const log::record& r) {
  if (!r.event().isJob()) return;
  const auto event = r.event().getJob();
  auto& j = jobs_[r.get().getStream()];
  const auto key = [&] { return j.id + "." + std::to_string(j.run); };
  if (event.isQueued()) j.id = schema::str(event.getQueued().getId());
  if (event.isAssigned()) j.run = event.getAssigned().getRun();
  if (event.isStarted() || event.isResumed()) runs_[key()] = {false, r.get().getWallNs()};
  if (event.isSuspended()) runs_[key()] = {true, r.get().getWallNs()};
  if (event.isDeleteRequested() || event.isRerunRequested() || event.isExited()) runs_.erase(key());
}

std::string suspended_jobs::fault(const std::string& run, bool stopped, std::int64_t began_ns, std::int64_t now_ns) const {
  constexpr std::int64_t told_within_ns = 6'000'000'000;  // server, primary, sister, host: a word may be two seconds on each way
  const auto at = runs_.find(run);
  if (at == runs_.end() || stopped == at->second.suspended) return "";
  if (now_ns - std::max(began_ns, at->second.since_ns) < told_within_ns) return "";
  return stopped ? "is stopped, its job is not suspended" : "goes on, its job is suspended";
}

}  // namespace annals::sim
