#include "projections/scheduling/scheduling_rows.hpp"

#include <algorithm>
#include <array>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/values/number.hpp"
#include "projections/status/eligible_time.hpp"
#include "projections/status/query.hpp"

namespace annals::projections {

using attributes::attribute_id;

namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;

using attribute_list = capnp::List<schema::Attribute>::Builder;

bool is_one_of(std::span<const attribute_id> wanted, attribute_id id) {
  return std::find(wanted.begin(), wanted.end(), id) != wanted.end();
}

// The attributes of the set that a scheduler looks at, with the names of their kind.
template <class Init>
void fill_attributes(Init&& init, schema::ObjectKind kind, const attributes::attribute_set& from, std::span<const attribute_id> wanted) {
  unsigned count = 0;
  for (const auto& e : from) count += is_one_of(wanted, e.id);
  attribute_list list = init(count);
  unsigned i = 0;
  for (const auto& e : from) {
    if (!is_one_of(wanted, e.id)) continue;
    auto a = list[i++];
    a.setName(attributes::find(kind, e.id)->name);
    a.setResource(std::string(e.resource));
    a.setValue(std::string(e.value));
  }
}

constexpr std::array server_wanted = {attributes::server::provision_enable, attributes::server::resources_available,
                                      attributes::server::node_group_enable, attributes::server::restrict_res_to_release_on_suspend,
                                      attributes::server::node_group_key, attributes::server::scheduling,
                                      attributes::server::backfill_depth, attributes::server::clear_topjob_estimates_enable,
                                      attributes::server::job_sort_formula, attributes::server::eligible_time_enable,
                                      attributes::server::max_running, attributes::server::max_user_run,
                                      attributes::server::max_group_run, attributes::server::max_user_run_soft,
                                      attributes::server::max_group_run_soft, attributes::server::max_user_res,
                                      attributes::server::max_group_res, attributes::server::max_user_res_soft,
                                      attributes::server::max_group_res_soft, attributes::server::max_run,
                                      attributes::server::max_run_res, attributes::server::max_run_soft,
                                      attributes::server::max_run_res_soft};
constexpr std::array scheduler_wanted = {attributes::scheduler::do_not_span_psets, attributes::scheduler::only_explicit_psets,
                                         attributes::scheduler::scheduling, attributes::scheduler::log_events,
                                         attributes::scheduler::sched_priv, attributes::scheduler::sched_log,
                                         attributes::scheduler::partition, attributes::scheduler::sched_port,
                                         attributes::scheduler::job_sort_formula, attributes::scheduler::job_sort_formula_threshold,
                                         attributes::scheduler::server_dyn_res_alarm,
                                         attributes::scheduler::preempt_queue_prio, attributes::scheduler::preempt_prio,
                                         attributes::scheduler::preempt_order, attributes::scheduler::preempt_targets_enable,
                                         attributes::scheduler::sched_preempt_enforce_resumption};
constexpr std::array queue_wanted = {attributes::queue::queue_type, attributes::queue::Priority, attributes::queue::started,
                                     attributes::queue::resources_available, attributes::queue::node_group_key,
                                     attributes::queue::backfill_depth,
                                     attributes::queue::max_running,
                                     attributes::queue::max_user_run,
                                     attributes::queue::max_group_run,
                                     attributes::queue::max_user_run_soft,
                                     attributes::queue::max_group_run_soft,
                                     attributes::queue::max_user_res,
                                     attributes::queue::max_group_res,
                                     attributes::queue::max_user_res_soft,
                                     attributes::queue::max_group_res_soft,
                                     attributes::queue::max_run,
                                     attributes::queue::max_run_res,
                                     attributes::queue::max_run_soft,
                                     attributes::queue::max_run_res_soft};
constexpr std::array vnode_wanted = {attributes::node::Priority, attributes::node::max_running, attributes::node::max_user_run,
                                     attributes::node::max_group_run, attributes::node::resources_available,
                                     attributes::node::queue, attributes::node::no_multinode_jobs, attributes::node::sharing,
                                     attributes::node::resv_enable, attributes::node::provision_enable,
                                     attributes::node::current_aoe};
constexpr std::array job_wanted = {attributes::job::Resource_List};

}  // namespace

void fill_server(schema::SchedulingDelta::Builder to, const model::server_state& server) {
  fill_attributes([&](unsigned n) { return to.initServer(n); }, schema::ObjectKind::SERVER, server.attributes, server_wanted);
}

void fill_scheduler(schema::SchedulingDelta::Builder to, const model::scheduler_state& scheduler) {
  fill_attributes([&](unsigned n) { return to.initScheduler(n); }, schema::ObjectKind::SCHEDULER, scheduler.attributes,
                  scheduler_wanted);
}

void fill_resources(schema::SchedulingDelta::Builder to, const attributes::resource_catalogue& resources) {
  to.setResourcesChanged(true);
  auto list = to.initResources(static_cast<unsigned>(resources.custom().size()));
  unsigned i = 0;
  for (const auto& [name, r] : resources.custom()) {
    auto row = list[i++];
    row.setName(name);
    row.setType(attributes::resource_type_name(r.type));
    row.setFlags(attributes::resource_flags_text(r.flags));
  }
}

void fill_queue(schema::SchedQueue::Builder to, const model::queue_state& queue) {
  to.setName(queue.name);
  to.setOrder(queue.order);
  to.setReservation(queue.reservation);
  fill_attributes([&](unsigned n) { return to.initAttributes(n); }, schema::ObjectKind::QUEUE, queue.attributes, queue_wanted);
}

namespace {

void fill_places(schema::SchedReservation::Builder to, const model::reservation_state& r) {
  std::vector<const model::occurrence*> placed;
  for (auto o = r.occurrences.begin() + r.over; o != r.occurrences.end(); ++o)
    if (!o->exec_vnode.empty() && r.has_queue()) placed.push_back(&*o);
  auto list = to.initPlaces(static_cast<unsigned>(placed.size()));
  for (unsigned i = 0; i < list.size(); ++i) {
    list[i].setIndex(placed[i]->index);
    list[i].setStartNs(placed[i]->start_ns);
    list[i].setEndNs(placed[i]->end_ns);
    if (i == 0 || placed[i]->exec_vnode != placed[i - 1]->exec_vnode) list[i].setExecVnode(placed[i]->exec_vnode);
  }
}

void fill_ask(schema::SchedReservation::Builder to, const model::reservation_ask& ask) {
  to.setAsk(ask.number);
  auto list = to.initWanted(static_cast<unsigned>(ask.wanted.size()));
  for (unsigned i = 0; i < list.size(); ++i) {
    list[i].setIndex(ask.wanted[i].index);
    list[i].setStartNs(ask.wanted[i].start_ns);
    list[i].setEndNs(ask.wanted[i].end_ns);
  }
}

}  // namespace

void fill_reservation(schema::SchedReservation::Builder to, const model::reservation_state& r, const std::string& server_name,
                      std::string_view scheduler) {
  namespace ids = attributes::reservation;
  const bool asked = r.ask && !r.ask->refused_by.contains(scheduler);
  // What is asked for is of the size that it would have.
  const auto& wanted = asked && r.change ? r.change->attributes : r.attributes;
  const auto text = [&](attributes::attribute_id id) { return std::string(wanted.get(id).value_or("")); };
  to.setSerial(r.serial);
  to.setId(full_id(r, server_name));
  to.setKind(r.kind);
  to.setQueue(r.id);
  to.setEuser(text(ids::euser));
  to.setEgroup(text(ids::egroup));
  // A change of size is answered for the window that was next then: the others are as they were asked for.
  const bool later = asked && r.ask->what == model::reservation_ask::kind::later;
  to.setSchedselect(text(later && wanted.has(ids::schedselect_orig) ? ids::schedselect_orig : ids::schedselect));
  to.setPlace(std::string(wanted.get(ids::Resource_List, "place").value_or("free")));
  constexpr std::array resources = {ids::Resource_List};
  fill_attributes([&](unsigned n) { return to.initResources(n); }, schema::ObjectKind::RESERVATION, wanted, resources);
  to.setJob(r.job);
  auto hosts = to.initHosts(static_cast<unsigned>(r.hosts.size()));
  for (unsigned i = 0; i < hosts.size(); ++i) hosts.set(i, r.hosts[i]);
  fill_places(to, r);
  to.setRunning(r.running);
  if (asked) fill_ask(to, *r.ask);
  auto avoid = to.initAvoid(static_cast<unsigned>(r.lost.size()));
  for (unsigned i = 0; i < avoid.size(); ++i) avoid.set(i, r.lost[i]);
}

namespace {

// Those that have given the vnode up: they alone may go on where nothing else may start.
std::vector<std::uint64_t> suspended_for_maintenance(const status& from, const model::vnode_use& use) {
  std::vector<std::uint64_t> away;
  for (const auto& id : use.maintenance) {
    const auto job = from.job_by_id(id);
    if (job && std::none_of(use.jobs.begin(), use.jobs.end(), [&](const auto& on) { return on.job == job->serial; }))
      away.push_back(job->serial);
  }
  return away;
}

}  // namespace

void fill_vnode(schema::SchedVnode::Builder to, const status& from, const model::host_state& host, const model::vnode_state& vnode) {
  to.setName(vnode.name);
  to.setHost(host.name);
  to.setOrder(vnode.order);
  const auto* use = from.holdings().find(vnode.name);
  to.setState(vnode_state_by_jobs(from, host, vnode));
  fill_attributes([&](unsigned n) { return to.initAttributes(n); }, schema::ObjectKind::NODE, vnode.attributes, vnode_wanted);
  if (!use) return;
  auto assigned = to.initAssigned(static_cast<unsigned>(use->assigned.size()));
  unsigned i = 0;
  for (const auto& [resource, a] : use->assigned) {
    auto row = assigned[i++];
    row.setName("resources_assigned");
    row.setResource(resource);
    row.setValue(a.print());
  }
  const auto away = suspended_for_maintenance(from, *use);
  auto jobs = to.initJobs(static_cast<unsigned>(use->jobs.size() + away.size()));
  for (i = 0; i < use->jobs.size(); ++i) {
    jobs[i].setJob(use->jobs[i].job);
    jobs[i].setExclusive(use->jobs[i].exclusive);
  }
  for (const auto job : away) jobs[i++].setJob(job);
}

namespace {

// How many may begin now, as its max_run_subjobs says.
std::uint32_t may_begin(const model::job_state& job) {
  const auto most = values::parse_integer(job.attribute(attributes::job::max_run_subjobs));
  if (!most) return UINT32_MAX;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(*most - static_cast<std::int64_t>(job.array->running.size()), 0, UINT32_MAX));
}

}  // namespace

void fill_job(schema::SchedJob::Builder to, const status& from, const model::job_state& job) {
  namespace ids = attributes::job;
  const auto text = [&](attribute_id id, std::string_view resource = {}) { return from.shown(job, id, resource); };
  to.setSerial(job.serial);
  to.setId(job.id);
  to.setQueue(std::string(job.queue()));
  to.setState(static_cast<std::uint8_t>(model::state_letter(job)));
  to.setEuser(text(ids::euser));
  to.setEgroup(text(ids::egroup));
  to.setProject(text(ids::project));
  to.setAccountName(text(ids::Account_Name));
  to.setRank(job.queue_rank);
  to.setPriority(static_cast<std::int32_t>(values::parse_integer(text(ids::Priority)).value_or(0)));
  to.setSchedselect(text(ids::schedselect));
  to.setPlace(text(ids::Resource_List, "place"));
  fill_attributes([&](unsigned n) { return to.initResources(n); }, schema::ObjectKind::JOB, job.attributes, job_wanted);
  to.setComment(text(ids::comment));
  const auto eligible = eligible_time_of(from.told_of(job).eligible, job);
  to.setEligibleSeconds(eligible.seconds);
  to.setEligibleSinceNs(eligible.since * ns_per_second);
  to.setTopjobIneligible(text(ids::topjob_ineligible) == "True");
  to.setRerunable(text(ids::Rerunable) != "False");
  to.setEstimatedNs(values::parse_integer(text(ids::estimated, "start_time")).value_or(0) * ns_per_second);
  to.setEstimatedVnode(text(ids::estimated, "exec_vnode"));
  to.setTopjob(text(ids::topjob) == "True");
  to.setPreempted(job.preempted && job.allocated.empty());
  auto failed = to.initFailedHosts(static_cast<unsigned>(job.failed_starts.size()));
  for (unsigned i = 0; i < failed.size(); ++i) failed.set(i, job.failed_starts[i].host);
  if (job.array) {
    to.setIndices(job.array->remaining.print());
    to.setMayBegin(may_begin(job));
  }
  if (job.allocated.empty()) return to.setExecVnode(job.checkpointed_at);
  to.setCanCheckpoint(job.can_checkpoint && job.busy_hosts.empty() && !job.is_subjob() && text(ids::Checkpoint) != "n");
  const bool suspended = job.phase == model::job_phase::suspended;
  to.setExecVnode(suspended ? job.released : job.allocated.exec_vnode());
  to.setResume(suspended && job.resume_wanted);
  to.setExecHost(job.allocated.exec_host());
  to.setStartedNs(values::parse_integer(text(ids::stime)).value_or(0) * ns_per_second);
  to.setLeaving(job.delete_requested || job.rerun_requested || job.is_checkpointing() || job.phase == model::job_phase::exiting);
}

}  // namespace annals::projections
