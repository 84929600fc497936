#include "projections/usage/usage.hpp"

#include <algorithm>

#include "events/model/limits.hpp"

namespace annals::projections {

using which = schema::JobEvent::Which;

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

bool tells_something(const model::usage_set& used) {
  if (model::was_measured(used)) return true;
  const auto measured = model::measured_usage({});
  for (const auto& e : used)
    if (!measured.get(e.resource)) return true;
  return false;
}

void job_usage::begin(const log::record& record) {
  const auto e = record.event().getJob().getAssigned();
  run_series run;
  run.run = e.getRun();
  run.assigned_ns = record.get().getWallNs();
  for (auto host : e.getHosts()) run.hosts.push_back({schema::str(host), {}});
  runs_.push_back(std::move(run));
}

void job_usage::end(const log::record& record) {
  runs_.back().ended_ns = record.get().getWallNs();
  runs_.back().ended_sequence = record.sequence();
}

// What is not told per host was used on the run's first one.
void job_usage::take(const log::record& record, schema::Usage::Reader all, capnp::List<schema::HostUsage>::Reader hosts) {
  auto& run = runs_.back();
  const auto add_to = [&](std::vector<usage_sample>& samples, const model::usage_set& used) {
    add(samples, {record.get().getWallNs(), used, record.sequence()});
  };
  for (auto h : hosts)
    if (const auto used = model::read_usage(h.getUsage()); tells_something(used))
      add_to(series_of(run, schema::text(h.getHost())).samples, used);
  const auto used = model::read_usage(all);
  if (!tells_something(used)) return;
  if (hosts.size() > 0) add_to(run.total, used);
  else if (!run.hosts.empty()) add_to(run.hosts.front().samples, used);
}

void job_usage::fold(const log::record& record) {
  if (!record.event().isJob()) return;
  const auto event = record.event().getJob();
  if (event.isQueued()) id_ = schema::str(event.getQueued().getId());
  if (event.isAssigned()) begin(record);
  if (runs_.empty()) return;
  switch (event.which()) {
    case which::QUEUED:
    case which::ASSIGNED: return;  // taken above
    case which::USAGE_REPORTED: return take(record, event.getUsageReported().getUsage(), event.getUsageReported().getHosts());
    case which::START_FAILED: return end(record);
    case which::EXITED:
      take(record, event.getExited().getUsage(), event.getExited().getHosts());
      end(record);
      runs_.back().has_exit_status = true;
      runs_.back().exit_status = event.getExited().getExitStatus();
      return;
    default: return;
  }
}

void job_usage::keep_from(std::uint64_t sequence) {
  const auto drop = [sequence](std::vector<usage_sample>& samples) {
    std::erase_if(samples, [sequence](const usage_sample& s) { return s.sequence < sequence; });
  };
  for (auto& run : runs_) {
    for (auto& host : run.hosts) drop(host.samples);
    drop(run.total);
  }
  std::erase_if(runs_, [sequence](const run_series& run) {
    const bool silent = std::all_of(run.hosts.begin(), run.hosts.end(), [](const host_series& h) { return h.samples.empty(); });
    return silent && run.ended_sequence != 0 && run.ended_sequence < sequence;
  });
}

unsigned cpu_efficiency(const usage_sample& last) {
  const auto held = last.used.seconds("walltime") * last.used.count("ncpus");
  return held == 0 ? 0 : static_cast<unsigned>((100 * last.used.seconds("cput") + held / 2) / held);
}

}  // namespace annals::projections
