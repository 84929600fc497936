#include "small_cluster.hpp"

#include <stdexcept>

namespace annals::cycle::test {

namespace {

using attribute_list = capnp::List<schema::Attribute>::Builder;

void fill(attribute_list list, const values_by_name& plain, const values_by_name& available) {
  unsigned i = 0;
  for (const auto& [name, value] : plain) {
    const auto dot = name.find('.');
    list[i].setName(name.substr(0, dot));
    if (dot != std::string::npos) list[i].setResource(name.substr(dot + 1));
    list[i++].setValue(value);
  }
  for (const auto& [name, value] : available) {
    list[i].setName("resources_available");
    list[i].setResource(name);
    list[i++].setValue(value);
  }
}

void fill_resources(attribute_list list, const char* attribute, const values_by_name& values) {
  unsigned i = 0;
  for (const auto& [name, value] : values) {
    list[i].setName(attribute);
    list[i].setResource(name);
    list[i++].setValue(value);
  }
}

void fill_job(schema::SchedJob::Builder to, const job_row& j) {
  to.setSerial(j.serial);
  to.setId(j.id);
  to.setQueue(j.queue);
  to.setEuser(j.euser);
  to.setEgroup(j.egroup);
  to.setProject(j.project);
  to.setState(static_cast<std::uint8_t>(j.state));
  to.setRank(j.rank);
  to.setPriority(j.priority);
  to.setEligibleSeconds(j.eligible_seconds);
  to.setEligibleSinceNs(j.eligible_since_ns);
  to.setSchedselect(j.schedselect);
  to.setPlace(j.place);
  fill_resources(to.initResources(static_cast<unsigned>(j.resources.size())), "Resource_List", j.resources);
  to.setExecVnode(j.exec_vnode);
  to.setExecHost(j.exec_host);
  to.setResume(j.resume);
  to.setComment(j.comment);
  constexpr std::int64_t ns_per_second = 1'000'000'000;
  to.setStartedNs(j.started * ns_per_second);
  to.setEstimatedNs(j.estimated * ns_per_second);
  to.setEstimatedVnode(j.estimated_vnode);
  to.setTopjob(j.topjob);
  to.setIndices(j.indices);
  to.setMayBegin(j.may_begin);
  to.setTopjobIneligible(j.topjob_ineligible);
  to.setRerunable(j.rerunable);
  to.setLeaving(j.leaving);
  to.setCanCheckpoint(j.can_checkpoint);
  to.setPreempted(j.preempted);
  auto failed = to.initFailedHosts(static_cast<unsigned>(j.failed_hosts.size()));
  for (unsigned i = 0; i < failed.size(); ++i) failed.set(i, j.failed_hosts[i]);
}

void fill_vnode(schema::SchedVnode::Builder to, const vnode_row& v, std::uint64_t order) {
  to.setName(v.name);
  to.setHost(v.host);
  to.setOrder(order);
  to.setState(v.state);
  fill(to.initAttributes(static_cast<unsigned>(v.attributes.size() + v.available.size())), v.attributes, v.available);
  fill_resources(to.initAssigned(static_cast<unsigned>(v.assigned.size())), "resources_assigned", v.assigned);
  auto jobs = to.initJobs(static_cast<unsigned>(v.jobs.size()));
  for (unsigned i = 0; i < v.jobs.size(); ++i) {
    jobs[i].setJob(v.jobs[i].first);
    jobs[i].setExclusive(v.jobs[i].second);
  }
}

void fill_reservation(schema::SchedReservation::Builder to, const reservation_row& r) {
  constexpr std::int64_t ns_per_second = 1'000'000'000;
  to.setSerial(r.serial);
  to.setId(r.id);
  to.setKind(r.kind);
  to.setQueue(r.queue);
  to.setSchedselect(r.schedselect);
  to.setPlace(r.place_text);
  fill_resources(to.initResources(static_cast<unsigned>(r.resources.size())), "Resource_List", r.resources);
  auto hosts = to.initHosts(static_cast<unsigned>(r.hosts.size()));
  for (unsigned i = 0; i < r.hosts.size(); ++i) hosts.set(i, r.hosts[i]);
  auto places = to.initPlaces(static_cast<unsigned>(r.places.size()));
  for (unsigned i = 0; i < r.places.size(); ++i) {
    places[i].setIndex(r.places[i].when.index);
    places[i].setStartNs(r.places[i].when.start * ns_per_second);
    places[i].setEndNs(r.places[i].when.end * ns_per_second);
    places[i].setExecVnode(r.places[i].exec_vnode);
  }
  to.setRunning(r.running);
  to.setAsk(r.ask);
  auto wanted = to.initWanted(static_cast<unsigned>(r.wanted.size()));
  for (unsigned i = 0; i < r.wanted.size(); ++i) {
    wanted[i].setIndex(r.wanted[i].index);
    wanted[i].setStartNs(r.wanted[i].start * ns_per_second);
    wanted[i].setEndNs(r.wanted[i].end * ns_per_second);
  }
  auto avoid = to.initAvoid(static_cast<unsigned>(r.avoid.size()));
  for (unsigned i = 0; i < r.avoid.size(); ++i) avoid.set(i, r.avoid[i]);
}

}  // namespace

vnode_row& small_cluster::vnode(const std::string& name) {
  for (auto& v : vnodes)
    if (v.name == name) return v;
  throw std::runtime_error("no vnode " + name);
}

schema::sealed<schema::SchedulingDelta> small_cluster::full_view(std::uint64_t sequence) const {
  return schema::make<schema::SchedulingDelta>([&](schema::SchedulingDelta::Builder d) {
    d.setEpoch(1);
    d.setSequence(sequence);
    d.setFull(true);
    fill(d.initServer(static_cast<unsigned>(server.size() + server_available.size())), server, server_available);
    fill(d.initScheduler(static_cast<unsigned>(scheduler.size())), scheduler, {});
    auto rs = d.initResources(static_cast<unsigned>(resources.size()));
    for (unsigned i = 0; i < resources.size(); ++i) {
      rs[i].setName(resources[i].name);
      rs[i].setType(resources[i].type);
      rs[i].setFlags(resources[i].flags);
    }
    auto qs = d.initQueues(static_cast<unsigned>(queues.size()));
    for (unsigned i = 0; i < queues.size(); ++i) {
      qs[i].setName(queues[i].name);
      qs[i].setOrder(i + 1);
      qs[i].setReservation(queues[i].reservation);
      fill(qs[i].initAttributes(static_cast<unsigned>(queues[i].attributes.size() + queues[i].available.size())),
           queues[i].attributes, queues[i].available);
    }
    auto vs = d.initVnodes(static_cast<unsigned>(vnodes.size()));
    for (unsigned i = 0; i < vnodes.size(); ++i) fill_vnode(vs[i], vnodes[i], i + 1);
    auto js = d.initJobs(static_cast<unsigned>(jobs.size()));
    for (unsigned i = 0; i < jobs.size(); ++i) fill_job(js[i], jobs[i]);
    auto rows = d.initReservations(static_cast<unsigned>(reservations.size()));
    for (unsigned i = 0; i < reservations.size(); ++i) fill_reservation(rows[i], reservations[i]);
  });
}

schema::sealed<schema::SchedulingDelta> delta_of_reservations(std::uint64_t previous, std::uint64_t sequence,
                                                              const std::vector<reservation_row>& reservations,
                                                              const std::vector<std::uint64_t>& gone) {
  return schema::make<schema::SchedulingDelta>([&](schema::SchedulingDelta::Builder d) {
    d.setPrevious(previous);
    d.setSequence(sequence);
    auto rows = d.initReservations(static_cast<unsigned>(reservations.size()));
    for (unsigned i = 0; i < reservations.size(); ++i) fill_reservation(rows[i], reservations[i]);
    auto serials = d.initReservationsGone(static_cast<unsigned>(gone.size()));
    for (unsigned i = 0; i < gone.size(); ++i) serials.set(i, gone[i]);
  });
}

schema::sealed<schema::SchedulingDelta> delta(std::uint64_t previous, std::uint64_t sequence,
                                              const std::vector<job_row>& jobs, const std::vector<std::uint64_t>& gone,
                                              const std::vector<vnode_row>& vnodes, std::uint64_t first_order) {
  return schema::make<schema::SchedulingDelta>([&](schema::SchedulingDelta::Builder d) {
    d.setEpoch(1);
    d.setPrevious(previous);
    d.setSequence(sequence);
    auto js = d.initJobs(static_cast<unsigned>(jobs.size()));
    for (unsigned i = 0; i < jobs.size(); ++i) fill_job(js[i], jobs[i]);
    auto gs = d.initJobsGone(static_cast<unsigned>(gone.size()));
    for (unsigned i = 0; i < gone.size(); ++i) gs.set(i, gone[i]);
    auto vs = d.initVnodes(static_cast<unsigned>(vnodes.size()));
    for (unsigned i = 0; i < vnodes.size(); ++i) fill_vnode(vs[i], vnodes[i], first_order + i);
  });
}

vnode_row simple_vnode(const std::string& name, int cpus) {
  vnode_row v;
  v.name = v.host = name;
  v.available = {{"arch", "linux"}, {"host", name}, {"mem", "8gb"}, {"ncpus", std::to_string(cpus)}, {"vnode", name}};
  return v;
}

}  // namespace annals::cycle::test
