#include "projections/scheduling/awaited_looks.hpp"

#include <algorithm>
#include <utility>

#include "events/attributes/ids.hpp"
#include "events/values/job_id.hpp"

namespace annals::projections {

namespace {

// A hook that meets its alarm takes this long at most to be killed and to be written down.
constexpr std::int64_t beside_alarms_ns = 10'000'000'000;

bool looks_on_at_new_jobs(const model::hook_state& hook) { return hook.runs_at("postqueuejob"); }

}  // namespace

bool awaited_looks::begins(const log::record& record) {
  if (from_.hooks().empty() || !schema::is(record.event(), schema::JobEvent::QUEUED)) return false;
  if (values::is_subjob(record.event().getJob().getQueued().getNumber())) return false;  // its array was submitted
  waiting_job job{record.get().getStream(), {}};
  auto longest = beside_alarms_ns;
  for (const auto& [serial, hook] : from_.hooks())
    if (looks_on_at_new_jobs(hook)) {
      job.hooks.insert(serial);
      longest += hook.number(attributes::hook::alarm) * 1'000'000'000;
    }
  if (job.hooks.empty()) return false;
  if (jobs_.empty()) {
    since_ns_ = record.get().getWallNs();
    longest_ns_ = 0;
  }
  longest_ns_ = std::max(longest_ns_, longest);
  jobs_.emplace(record.sequence(), std::move(job));
  return true;
}

std::vector<std::uint64_t> awaited_looks::ended(const log::record& record) {
  std::vector<std::uint64_t> over;
  const auto look = [&](auto at) {
    if (!at->second.hooks.empty()) return std::next(at);
    over.push_back(at->second.serial);
    return jobs_.erase(at);
  };
  if (record.event().getHook().isRan()) {
    const auto at = jobs_.find(record.get().getCause());
    if (at == jobs_.end() || at->second.hooks.erase(record.get().getStream()) == 0) return over;
    since_ns_ = record.get().getWallNs();
    look(at);
    return over;
  }
  // One that is turned off does not run any more.
  const auto is_off = [&](std::uint64_t hook) {
    const auto known = from_.hooks().find(hook);
    return known == from_.hooks().end() || !looks_on_at_new_jobs(known->second);
  };
  for (auto at = jobs_.begin(); at != jobs_.end(); at = look(at)) std::erase_if(at->second.hooks, is_off);
  return over;
}

std::vector<std::uint64_t> awaited_looks::give_up() {
  std::vector<std::uint64_t> over;
  for (const auto& [sequence, job] : std::exchange(jobs_, {})) over.push_back(job.serial);
  return over;
}

}  // namespace annals::projections
