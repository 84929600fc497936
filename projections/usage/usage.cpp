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

// A host that says nothing yet has no sample: its zeros would be no measurement.
bool tells_something(const model::usage_set& used) {
  if (model::was_measured(used)) return true;
  const auto measured = model::measured_usage({});
  for (const auto& e : used)
    if (!measured.get(e.resource)) return true;
  return false;
}

template <class Values>
model::usage_set with(const model::usage_set& measured, const Values& by_hooks) {
  if (by_hooks.empty()) return measured;
  model::usage_set used;
  for (const auto& e : measured)
    if (!by_hooks.contains(e.resource)) used.set(e.resource, e.value);
  for (const auto& [resource, value] : by_hooks)
    if (value) used.set(resource, *value);
  return used;
}

model::usage_set last_of(const std::vector<usage_sample>& samples) {
  return samples.empty() ? model::usage_set() : samples.back().used;
}

}  // namespace

void job_usage::begin(const log::record& record) {
  const auto e = record.event().getJob().getAssigned();
  run_series run;
  run.run = e.getRun();
  run.assigned_ns = record.get().getWallNs();
  for (auto host : e.getHosts()) run.hosts.push_back({schema::str(host), {}});
  runs_.push_back(std::move(run));
  by_hooks_.clear();
  by_any_hook_.clear();
}

void job_usage::end(const log::record& record) {
  runs_.back().ended_ns = record.get().getWallNs();
  runs_.back().ended_sequence = record.sequence();
}

// What is not told per host was used on the run's first one.
void job_usage::take(const log::record& record, schema::Usage::Reader all, capnp::List<schema::HostUsage>::Reader hosts) {
  auto& run = runs_.back();
  const auto sample_of = [&](const model::usage_set& used) {
    return usage_sample{record.get().getWallNs(), used, record.sequence()};
  };
  const auto add_to_host = [&](host_series& host, const model::usage_set& used) {
    add(host.samples, sample_of(with(used, by_hooks_[host.host])));
  };
  for (auto h : hosts)
    if (const auto used = model::read_usage(h.getUsage()); tells_something(used))
      add_to_host(series_of(run, schema::text(h.getHost())), used);
  const auto used = model::read_usage(all);
  if (!tells_something(used)) return;
  if (hosts.size() > 0) add(run.total, sample_of(with(used, by_any_hook_)));
  else if (!run.hosts.empty()) add_to_host(run.hosts.front(), used);
}

// A hook of a MoM has said what the job used. From then on the value is the hook's (RU-04).
void job_usage::take_hook_values(const log::record& record, capnp::List<schema::Attribute>::Reader changes) {
  auto& run = runs_.back();
  if (run.hosts.empty()) return;
  const auto by = record.get().getWho();
  const auto at =
      std::find_if(run.hosts.begin(), run.hosts.end(), [&](const host_series& h) { return h.host == schema::text(by.getHost()); });
  auto& host = by.getRole() == schema::Role::MOM && at != run.hosts.end() ? *at : run.hosts.front();
  auto& values = by_hooks_[host.host];
  bool changed = false;
  for (auto c : changes) {
    if (schema::text(c.getName()) != "resources_used") continue;
    const bool gone = c.getOp() == schema::AttributeOp::UNSET;
    const auto value = gone ? std::nullopt : std::optional(schema::str(c.getValue()));
    values.insert_or_assign(schema::str(c.getResource()), value);
    by_any_hook_.insert_or_assign(schema::str(c.getResource()), value);
    changed = true;
  }
  if (!changed) return;
  const auto now = record.get().getWallNs();
  add(host.samples, {now, with(last_of(host.samples), values), record.sequence()});
  if (!run.total.empty()) add(run.total, {now, with(last_of(run.total), by_any_hook_), record.sequence()});
}

void job_usage::fold(const log::record& record) {
  if (!record.event().isJob()) return;
  const auto event = record.event().getJob();
  if (event.isQueued()) id_ = schema::str(event.getQueued().getId());
  if (event.isAssigned()) begin(record);
  if (runs_.empty()) return;
  switch (event.which()) {
    case which::USAGE_REPORTED: return take(record, event.getUsageReported().getUsage(), event.getUsageReported().getHosts());
    case which::ALTERED: return take_hook_values(record, event.getAltered().getChanges());
    case which::START_FAILED: return end(record);
    case which::EXITED:
      take(record, event.getExited().getUsage(), event.getExited().getHosts());
      end(record);
      runs_.back().has_exit_status = true;
      runs_.back().exit_status = event.getExited().getExitStatus();
      return;
    case which::QUEUED:
    case which::ASSIGNED:
    case which::HELD:
    case which::RELEASED:
    case which::WAIT_ENDED:
    case which::STARTED:
    case which::RUN_STEP:
    case which::DELETE_REQUESTED:
    case which::RERUN_REQUESTED:
    case which::SIGNALLED:
    case which::MESSAGED:
    case which::SUSPENDED:
    case which::RESUME_WANTED:
    case which::RESUMED:
    case which::REQUEST_DONE:
    case which::OUTPUT_DELIVERED:
    case which::VNODES_RELEASED:
    case which::REQUEUED:
    case which::ENDED:
    case which::FORGOTTEN:
    case which::MOVED:
    case which::REORDERED:
    case which::VNODES_TAKEN:
    case which::REDUCED: return;
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
