#include "actors/scheduler/cycle/job_table.hpp"

#include <algorithm>

#include "events/schema/message.hpp"
#include "events/values/duration.hpp"
#include "events/values/exec_host.hpp"

namespace annals::cycle {

using schema::text;

namespace {

void read_durations(job& j, schema::SchedJob::Reader row, const resource_table& resources) {
  std::optional<std::int64_t> walltime, soft, min, max;
  j.durations.clear();
  for (const auto a : row.getResources()) {
    const auto r = resources.find(text(a.getResource()));
    if (r == no_resource || resources[r].type != attributes::value_type::duration) continue;
    const auto seconds = values::parse_duration(text(a.getValue()));
    if (!seconds) continue;
    if (resources[r].name == "walltime") walltime = seconds;
    else j.durations.emplace_back(r, *seconds);
    if (resources[r].name == "soft_walltime") soft = seconds;
    if (resources[r].name == "min_walltime") min = seconds;
    if (resources[r].name == "max_walltime") max = seconds;
  }
  j.walltime = walltime.value_or(no_walltime);
  j.soft_walltime = min ? 0 : std::max<std::int64_t>(soft.value_or(0), 0);  // a shrink-to-fit job has none
  const bool waits = row.getExecVnode().size() == 0;
  j.shrinks = waits ? values::walltime_range_of(min, max, walltime).value_or(values::walltime_range{}) : values::walltime_range{};
  j.granted = 0;
}

constexpr std::int64_t ns_per_second = 1'000'000'000;

// An array that has begun: it no longer shows what a cycle says of it.
bool has_begun(schema::SchedJob::Reader row) { return row.getState() == 'B'; }

}  // namespace

std::uint64_t comment_hash(std::string_view text) { return text.empty() ? 0 : std::hash<std::string_view>{}(text); }

index job_table::free_place() {
  if (free_jobs_.empty()) {
    jobs_.emplace_back();
    return static_cast<index>(jobs_.size() - 1);
  }
  const index at = free_jobs_.back();
  free_jobs_.pop_back();
  return at;
}

index job_table::add(std::uint64_t serial) {
  const index at = free_place();
  jobs_[at].serial = serial;
  job_ids_[serial] = at;
  return at;
}

void job_table::read(index at, schema::SchedJob::Reader row) {
  job& j = jobs_[at];
  j.id = text(row.getId());
  j.queue = queues_.at(text(row.getQueue()));
  j.rank = row.getRank();
  j.priority = row.getPriority();
  j.eligible_seconds = row.getEligibleSeconds();
  j.eligible_since_ns = row.getEligibleSinceNs();
  read_durations(j, row, resources_);
  j.euser = text(row.getEuser());
  j.egroup = text(row.getEgroup());
  j.request = requests_.at({text(row.getSchedselect()), text(row.getPlace()), row.getResources()});
  const bool holds_vnodes = row.getExecVnode().size() > 0;
  const bool waits = row.getState() == 'Q' || has_begun(row);
  j.where = waits ? job_place::queued : holds_vnodes ? job_place::running
                                                     : job_place::other;
  if (row.getState() == 'S') j.where = job_place::suspended;
  j.resume = row.getResume();
  j.exec_vnode = text(row.getExecVnode());
  j.exec_host = j.resume ? text(row.getExecHost()) : "";
  j.can_checkpoint = row.getCanCheckpoint();
  j.started = row.getStartedNs() / ns_per_second;
  j.topjob_ineligible = row.getTopjobIneligible();
  j.rerunable = row.getRerunable();
  j.preempted = row.getPreempted();
  j.leaving = row.getLeaving();
  j.estimated = row.getEstimatedNs() / ns_per_second;
  j.estimated_vnode = text(row.getEstimatedVnode());
  j.shown_as_top = row.getTopjob();
  j.held.reset();
  if (!has_begun(row)) j.comment = j.behind = 0;
  j.subjobs = subjob_list(text(row.getIndices()));
  j.may_begin = row.getMayBegin();
  j.lifted = false;
  j.preempt_targets.clear();
  for (const auto a : row.getResources())
    if (text(a.getResource()) == "preempt_targets") j.preempt_targets = text(a.getValue());
  j.slots.clear();
  j.failed_hosts.clear();
  if (j.where == job_place::suspended) j.comment = comment_hash(text(row.getComment()));
  if (j.where == job_place::queued) {
    if (!has_begun(row)) j.comment = comment_hash(text(row.getComment()));
    for (const auto name : row.getFailedHosts()) j.failed_hosts.push_back(vnodes_.host_at(text(name)));
  }
  if (j.where != job_place::running) return;
  if (const auto spec = values::parse_exec_host(text(row.getExecHost())))
    for (const auto& s : *spec) j.slots.emplace_back(vnodes_.host_at(s.host), s.slot);
}

void job_table::remove(index at) {
  job_ids_.erase(jobs_[at].serial);
  jobs_[at] = job();
  free_jobs_.push_back(at);
}

void job_table::expect(index job_at, int steps) const {
  const job& j = jobs_[job_at];
  if (steps == 4) __builtin_prefetch(&j), __builtin_prefetch(&j.failed_hosts);
  else requests_.expect(j.request, steps);
}

index job_table::place_of(std::uint64_t serial) const {
  const auto at = job_ids_.find(serial);
  return at == job_ids_.end() ? none : at->second;
}

const job* job_table::find(std::uint64_t serial) const {
  const index at = place_of(serial);
  return at == none ? nullptr : &jobs_[at];
}

void job_table::set_estimate(index job_at, std::int64_t start, std::string exec_vnode, bool top) {
  job& j = jobs_[job_at];
  j.estimated = start;
  j.estimated_vnode = std::move(exec_vnode);
  j.shown_as_top = start != 0 && top;
}

}  // namespace annals::cycle
