#include "test/sim/suspension.hpp"

#include <algorithm>

namespace annals::sim {

using which = schema::Event::Which;

void suspended_jobs::fold(const log::record& r) {
  const auto event = r.event();
  auto& j = jobs_[r.get().getStream()];
  const auto key = [&] { return j.id + "." + std::to_string(j.run); };
  switch (event.which()) {
    case which::JOB_QUEUED: j.id = schema::str(event.getJobQueued().getId()); break;
    case which::JOB_ASSIGNED: j.run = event.getJobAssigned().getRun(); break;
    case which::JOB_STARTED: runs_[key()] = {false, r.get().getWallNs()}; break;
    case which::JOB_SUSPENDED: runs_[key()] = {true, r.get().getWallNs()}; break;
    case which::JOB_RESUMED: runs_[key()] = {false, r.get().getWallNs()}; break;
    case which::JOB_DELETE_REQUESTED:
    case which::JOB_RERUN_REQUESTED:
    case which::JOB_EXITED: runs_.erase(key()); break;
    default: break;
  }
}

std::string suspended_jobs::fault(const std::string& run, bool stopped, std::int64_t began_ns, std::int64_t now_ns) const {
  constexpr std::int64_t told_within_ns = 6'000'000'000;      // server, primary, sister, host: a word may be two seconds on each way
  const auto at = runs_.find(run);
  if (at == runs_.end() || stopped == at->second.suspended) return "";
  if (now_ns - std::max(began_ns, at->second.since_ns) < told_within_ns) return "";
  return stopped ? "is stopped, its job is not suspended" : "goes on, its job is suspended";
}

}  // namespace annals::sim
