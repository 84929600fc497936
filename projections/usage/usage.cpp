#include "projections/usage/usage.hpp"

#include <algorithm>

#include "events/model/limits.hpp"

namespace annals::projections {

namespace {

void add(std::vector<usage_sample>& to, usage_sample sample) {
  if (to.size() >= limits::usage_samples_max) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < to.size(); i += 2) to[kept++] = to[i];
    to.resize(kept);
  }
  to.push_back(std::move(sample));
}

host_series& series_of(run_series& run, std::string_view host) {
  const auto at = std::find_if(run.hosts.begin(), run.hosts.end(), [&](const host_series& h) { return h.host == host; });
  if (at != run.hosts.end()) return *at;
  run.hosts.push_back({std::string(host), {}});
  return run.hosts.back();
}

}  // namespace

void job_usage::begin(const log::record& record) {
  const auto e = record.event().getJob().getAssigned();
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
    if (auto used = model::read_usage(h.getUsage()); model::was_measured(used))
      add(series_of(run, schema::text(h.getHost())).samples, {now, std::move(used)});
  auto used = model::read_usage(all);
  if (!model::was_measured(used)) return;
  if (hosts.size() > 0) add(run.total, {now, std::move(used)});
  else if (!run.hosts.empty()) add(run.hosts.front().samples, {now, std::move(used)});
}

void job_usage::fold(const log::record& record) {
  const auto event = record.event();
  if (schema::is(event, schema::JobEvent::QUEUED)) id_ = schema::str(event.getJob().getQueued().getId());
  else if (schema::is(event, schema::JobEvent::ASSIGNED)) begin(record);
  else if (schema::is(event, schema::JobEvent::USAGE_REPORTED))
    take(record, event.getJob().getUsageReported().getUsage(), event.getJob().getUsageReported().getHosts());
  else if (schema::is(event, schema::JobEvent::EXITED) && !runs_.empty()) {
    const auto e = event.getJob().getExited();
    take(record, e.getUsage(), e.getHosts());
    runs_.back().ended_ns = record.get().getWallNs();
    runs_.back().has_exit_status = true;
    runs_.back().exit_status = e.getExitStatus();
  } else if (schema::is(event, schema::JobEvent::START_FAILED) && !runs_.empty()) {
    runs_.back().ended_ns = record.get().getWallNs();
  }
}

unsigned cpu_efficiency(const usage_sample& last) {
  const auto held = last.used.seconds("walltime") * last.used.count("ncpus");
  return held == 0 ? 0 : static_cast<unsigned>((100 * last.used.seconds("cput") + held / 2) / held);
}

}  // namespace annals::projections
