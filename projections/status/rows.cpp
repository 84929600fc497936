// Rows of the objects whose attributes are not all in one set: queue, server, vnode.
#include <algorithm>

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/resources.hpp"
#include "events/attributes/table.hpp"
#include "events/model/reservation/open_windows.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "events/values/soft_walltime.hpp"
#include "events/values/string_list.hpp"
#include "projections/status/eligible_time.hpp"
#include "projections/status/query.hpp"
#include "projections/status/queue_sums.hpp"
#include "projections/status/subjobs.hpp"

namespace annals::projections {

namespace {

// "12.borg/0, 12.borg/1, 13.borg/2", ordered by slot. Who has no cpus there is listed with slot 0, and takes it from nobody.
std::string jobs_text(const model::vnode_use& use) {
  std::vector<std::pair<std::uint32_t, std::string_view>> slots;
  for (const auto& job : use.jobs) {
    if (job.slots.empty()) slots.emplace_back(0, job.id);
    for (auto s : job.slots) slots.emplace_back(s, job.id);
  }
  std::stable_sort(slots.begin(), slots.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [slot, id] : slots) {
    if (!text.empty()) text += ", ";
    text += std::string(id) + "/" + std::to_string(slot);
  }
  return text;
}

// "R42.borg, R38.borg": those that keep the vnode, the last one first.
std::string reservations_text(const status& from, const std::string& vnode) {
  std::string text;
  const auto* serials = from.reservations_on(vnode);
  if (!serials) return text;
  for (const auto serial : *serials)
    text += (text.empty() ? "" : ", ") + full_id(from.reservations().at(serial), from.server().server_name);
  return text;
}

// The amounts in use: by jobs, and by reservations whose window is open. Jobs of a reservation use what is the reservation's.
model::amounts assigned_on(const status& from, const std::string& vnode, const model::vnode_use* use) {
  auto sum = use ? use->assigned : model::amounts();
  const auto* const holders = from.open_windows().of(vnode);
  if (!holders) return sum;
  const auto queue_of = [&](std::uint64_t serial) {
    const auto job = from.job(serial);
    return job ? std::string(job->queue()) : std::string();
  };
  for (const auto& holder : *holders) {
    const auto& r = from.reservations().at(holder.who);
    const auto held = use ? model::held_in(r, *use, queue_of) : model::amounts();
    for (const auto& [resource, a] : holder.has) {
      auto& all = sum[resource];
      all.value += std::max(0.0, a.value - held.value_of(resource));
      all.is_size |= a.is_size;
    }
  }
  return sum;
}

std::string full_state(const model::host_state& host, const model::vnode_state& vnode, const model::state_by_jobs& by_jobs) {
  std::string text = model::base_state(host, vnode);
  auto add = [&](const char* word) { text += (text.empty() ? "" : ",") + std::string(word); };
  if (by_jobs.exclusive) add("job-exclusive");
  if (by_jobs.busy) add("job-busy");
  if (vnode.busy && !vnode.stale) add("busy");
  if (by_jobs.maintenance) add("maintenance");
  return text.empty() ? "free" : text;
}

// Of what is only compared nothing is assigned (pbs guide: consumable resources).
void put_assigned(attributes::attribute_set& row, const status& from, const model::amounts& assigned) {
  for (const auto& [resource, a] : assigned) {
    const auto* known = from.server().resources.find(resource);
    if (!known || known->has(attributes::consumable) || known->has(attributes::first_host_only))
      row.set(attributes::node::resources_assigned, resource, a.print());
  }
}

// Attributes that nobody sets and that have one value here, as PBS shows them.
void put_constants(attributes::attribute_set& row, schema::ObjectKind kind) {
  for (const auto& a : attributes::table_of(kind))
    if (a.set_by == attributes::setter::nobody && *a.default_value != '\0' && !row.has(a.id)) row.set(a.id, a.default_value);
}

}  // namespace

namespace {

// A job without spare chunks keeps no copy of the select that it asked for: schedselect is that, completed, before anything of the job was
// released (RS-32). PBS shows none, so it is among the hidden ones.
void put_select_requested(attributes::attribute_set& row, const status& from) {
  namespace ids = attributes::job;
  if (!shows_select_requested(from)) return;
  if (row.get(ids::Resource_List, "select_requested")) return;
  const auto orig = row.get(ids::schedselect_orig), now = row.get(ids::schedselect);
  if (const auto asked = orig ? orig : now) row.set(ids::Resource_List, "select_requested", std::string(*asked));
}

// The time that the job is taken to run for, once it has run for its soft walltime. It follows from its start: there is no event.
void put_grown_walltime(attributes::attribute_set& row, std::int64_t now_s) {
  namespace ids = attributes::job;
  const auto duration = [&](const char* resource) {
    const auto text = row.get(ids::Resource_List, resource);
    return text ? values::parse_duration(*text) : std::nullopt;
  };
  const auto soft = duration("soft_walltime");
  if (!soft || *soft <= 0) return;
  const auto began = values::parse_integer(row.get(ids::stime).value_or(""));
  if (!began || duration("min_walltime")) return;
  const auto elapsed = values::parse_integer(row.get(ids::obittime).value_or("")).value_or(now_s) - *began;
  if (elapsed < *soft) return;
  row.set(ids::estimated, "soft_walltime", values::print_duration(values::soft_walltime_after(elapsed, *soft, duration("walltime"))));
}

}  // namespace

bool shows_select_requested(const status& from) {
  return from.server().attributes.get(attributes::server::show_hidden_attribs) == "True";
}

attributes::attribute_set job_row(const status& from, const model::job_state& job, std::int64_t now_s) {
  namespace ids = attributes::job;
  auto row = from.shown(job);
  if (!job.dependents.empty()) row.set(ids::depend, model::shown_depend(job));
  if (job.array) {
    row.set(ids::array_state_count, array_state_count(from, job));
    row.set(ids::array_indices_remaining, job.array->remaining.print());
  }
  if (counts_eligible_time(from.server())) {
    row.set(ids::eligible_time, values::print_duration(eligible_time_of(from.told_of(job).eligible, job).at(now_s)));
  } else {  // what was counted is kept, and not shown
    row.erase(ids::eligible_time);
    row.erase(ids::accrue_type);
  }
  put_select_requested(row, from);
  if (!job.array) put_grown_walltime(row, now_s);
  return row;
}

attributes::attribute_set queue_row(const status& from, const model::queue_state& queue) {
  namespace ids = attributes::queue;
  auto row = queue.attributes;
  const auto& counts = from.jobs_of(queue.name);
  row.set(ids::total_jobs, std::to_string(counts.total));
  row.set(ids::state_count, counts.text());
  if (queue.reservation != 0 && !row.has(ids::partition)) row.set(ids::partition, model::no_partition_shown);
  for (const auto& [resource, sum] : assigned_in_queue(from, queue.name)) row.set(ids::resources_assigned, resource, sum);
  if (from.has_vnodes(queue.name)) row.set(ids::hasnodes, "True");
  return row;
}

attributes::attribute_set server_row(const status& from) {
  namespace ids = attributes::server;
  auto row = from.server().attributes;
  const auto& counts = from.jobs_of("");
  row.set(ids::total_jobs, std::to_string(counts.total));
  row.set(ids::state_count, counts.text());
  for (const auto& [resource, sum] : assigned_in_server(from)) row.set(ids::resources_assigned, resource, sum);
  put_constants(row, schema::ObjectKind::SERVER);
  return row;
}

attributes::attribute_set shown_server_row(const status& from) {
  namespace ids = attributes::server;
  auto row = server_row(from);
  if (row.get(ids::server_state) == "Active" && row.get(ids::scheduling) == "False") row.set(ids::server_state, "Idle");
  return row;
}

std::string vnode_state_by_jobs(const status& from, const model::host_state& host, const model::vnode_state& vnode) {
  return full_state(host, vnode, from.holdings().state_of(vnode.name));
}

std::string vnode_state_text(const status& from, const model::host_state& host, const model::vnode_state& vnode) {
  auto text = vnode_state_by_jobs(from, host, vnode);
  if (!from.is_reserved_alone(vnode)) return text;
  return text == "free" ? "resv-exclusive" : text + ",resv-exclusive";
}

attributes::attribute_set vnode_row(const status& from, const model::host_state& host, const model::vnode_state& vnode) {
  namespace ids = attributes::node;
  auto row = vnode.attributes;
  const auto* use = from.holdings().find(vnode.name);
  row.set(ids::state, vnode_state_text(from, host, vnode));
  for (const char* size : {"accelerator_memory", "hbmem", "mem", "vmem"}) row.set(ids::resources_assigned, size, "0kb");
  for (const char* number : {"naccelerators", "ncpus"}) row.set(ids::resources_assigned, number, "0");
  if (!row.has(ids::Port)) row.set(ids::Port, attributes::find(schema::ObjectKind::NODE, ids::Port)->default_value);
  put_constants(row, schema::ObjectKind::NODE);
  if (host.vnodes.size() > 1) row.set(ids::in_multivnode_host, "1");
  row.set(ids::last_state_change_time, std::to_string(std::max(vnode.state_changed_s, use ? use->state_changed_s : 0)));
  if (const auto text = reservations_text(from, vnode.name); !text.empty()) row.set(ids::resv, text);
  put_assigned(row, from, assigned_on(from, vnode.name, use));
  if (use) {
    if (!use->jobs.empty()) row.set(ids::jobs, jobs_text(*use));
    if (!use->maintenance.empty()) row.set(ids::maintenance_jobs, values::join_list(use->maintenance));
    if (use->last_used_s > 0) row.set(ids::last_used_time, std::to_string(use->last_used_s));
  }
  return row;
}

}  // namespace annals::projections
