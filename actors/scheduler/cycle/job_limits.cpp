#include "actors/scheduler/cycle/job_limits.hpp"

#include <algorithm>
#include <string_view>

#include "events/schema/message.hpp"

namespace annals::cycle {

using schema::text;

namespace {

bool is_amount_limit(std::string_view name) {
  return name == "max_run_res" || name == "max_run_res_soft" || name.starts_with("max_user_res") || name.starts_with("max_group_res");
}

}  // namespace

// What a request says of pools leaves out durations, so that jobs which differ in them alone are of one class. The few that are limited
// are read with each job; one that is limited for the first time was not read of the jobs that are here.
bool job_limits::reads_all_limited(schema::SchedulingDelta::Reader delta) {
  const auto before = limited_beside_pools_.size();
  const auto look = [&](capnp::List<schema::Attribute>::Reader attributes) {
    for (const auto a : attributes) {
      const std::string_view resource = text(a.getResource());
      if (resource.empty() || !is_amount_limit(text(a.getName())) || request::is_of_pools(resource, resources_)) continue;
      if (std::find(limited_beside_pools_.begin(), limited_beside_pools_.end(), resource) == limited_beside_pools_.end())
        limited_beside_pools_.emplace_back(resource);
    }
  };
  look(delta.getServer());
  for (const auto q : delta.getQueues()) look(q.getAttributes());
  return limited_beside_pools_.size() == before;
}

void job_limits::own(job& j, schema::SchedJob::Reader row) {
  j.owners = limits_.owners_of(text(row.getEuser()), text(row.getEgroup()), text(row.getProject()));
  j.beside_pools.clear();
  if (limited_beside_pools_.empty()) return;
  for (const auto a : row.getResources())
    if (std::find(limited_beside_pools_.begin(), limited_beside_pools_.end(), text(a.getResource())) != limited_beside_pools_.end())
      if (const auto r = resources_.find(text(a.getResource())); r != no_resource && resources_[r].numeric)
        if (const auto value = resources_.read(r, text(a.getValue()), rounding::up)) j.beside_pools.emplace_back(r, *value);
}

amount job_limits::asked_by(const job& j, resource_id r) const {
  for (const want& w : jobs_.request_of(j).job_wide)
    if (w.resource == r) return std::max<amount>(w.value, 0);
  for (const auto& [resource, value] : j.beside_pools)
    if (resource == r) return std::max<amount>(value, 0);
  return 0;
}

// What is set now may count other resources than before: what runs is counted anew.
void job_limits::take_limits(std::uint32_t queue, capnp::List<schema::Attribute>::Reader attributes) {
  if (!limits_.set(queue, run_limits::read(attributes, resources_))) return;
  for (const job& j : jobs_)
    if ((j.where == job_place::running || j.where == job_place::proposed) && (queue == run_limit_book::server_place || j.queue == queue))
      limits_.count_at_place(queue, j.owners, +1, [&](resource_id r) { return asked_by(j, r); });
}

void job_limits::count(const job& j, int sign) {
  limits_.count(j.owners, j.queue, sign, [&](resource_id r) { return asked_by(j, r); });
}

std::optional<reached_limit> job_limits::reached_by(const job& j) const {
  return limits_.reached(j.owners, j.queue, [&](resource_id r) { return asked_by(j, r); });
}

refusal job_limits::explain(const reached_limit& r, const job& j) const {
  return limits_.explain(
      r, j.owners, j.queue, queues_[j.queue].name, [&](resource_id id) { return asked_by(j, id); }, resources_);
}

soft_limits_passed job_limits::over_soft_limits(const job& j) const {
  const bool runs = j.where == job_place::running || j.where == job_place::proposed;
  return limits_.passed(j.owners, j.queue, runs, [&](resource_id r) { return asked_by(j, r); });
}

}  // namespace annals::cycle
