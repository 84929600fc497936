#include "projections/usage/usage.hpp"

#include <algorithm>

#include "events/model/limits.hpp"

namespace annals::projections {

namespace {

usage_sample sample_of(schema::Usage::Reader u, std::int64_t wall_ns) {
  return {wall_ns, u.getCpuSeconds(), u.getWallSeconds(), u.getMemKb(), u.getVmemKb(), u.getNcpus(), u.getCpuPercent()};
}

// Nobody measured the end of a run that was lost.
bool measured(schema::Usage::Reader u) { return u.getNcpus() > 0 || u.getWallSeconds() > 0 || u.getCpuSeconds() > 0; }

void add(std::vector<usage_sample>& to, const usage_sample& sample) {
  if (to.size() >= limits::usage_samples_max) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < to.size(); i += 2) to[kept++] = to[i];
    to.resize(kept);
  }
  to.push_back(sample);
}

host_series& series_of(run_series& run, std::string_view host) {
  const auto at = std::find_if(run.hosts.begin(), run.hosts.end(), [&](const host_series& h) { return h.host == host; });
  if (at != run.hosts.end()) return *at;
  run.hosts.push_back({std::string(host), {}});
  return run.hosts.back();
}

}  // namespace

void job_usage::begin(const log::record& record) {
  const auto e = record.event().getJobAssigned();
  run_series run;
  run.run = e.getRun();
  run.assigned_ns = record.get().getWallNs();
  for (auto host : e.getHosts()) run.hosts.push_back({schema::str(host), {}});
  runs_.push_back(std::move(run));
}

// What is not told per host was used on the run's first one.
void job_usage::take(const log::record& record, schema::Usage::Reader all, capnp::List<schema::HostUsage>::Reader hosts) {
  if (runs_.empty()) return;
  auto& run = runs_.back();
  const auto now = record.get().getWallNs();
  for (auto h : hosts)
    if (measured(h.getUsage())) add(series_of(run, schema::text(h.getHost())).samples, sample_of(h.getUsage(), now));
  if (!measured(all)) return;
  if (hosts.size() > 0) add(run.total, sample_of(all, now));
  else if (!run.hosts.empty()) add(run.hosts.front().samples, sample_of(all, now));
}

void job_usage::fold(const log::record& record) {
  const auto event = record.event();
  if (event.isJobQueued()) id_ = schema::str(event.getJobQueued().getId());
  else if (event.isJobAssigned()) begin(record);
  else if (event.isUsageReported()) take(record, event.getUsageReported().getUsage(), event.getUsageReported().getHosts());
  else if (event.isJobExited() && !runs_.empty()) {
    const auto e = event.getJobExited();
    take(record, e.getUsage(), e.getHosts());
    runs_.back().ended_ns = record.get().getWallNs();
    runs_.back().has_exit_status = true;
    runs_.back().exit_status = e.getExitStatus();
  } else if (event.isJobStartFailed() && !runs_.empty()) {
    runs_.back().ended_ns = record.get().getWallNs();
  }
}

unsigned cpu_efficiency(const usage_sample& last) {
  const auto held = last.wall_s * last.ncpus;
  return held == 0 ? 0 : static_cast<unsigned>((100 * last.cpu_s + held / 2) / held);
}

}  // namespace annals::projections
