#include "events/model/ledger.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/model/refuse.hpp"

namespace annals::model {

namespace pbs_error = values::pbs_error;
using which = schema::Event::Which;

std::size_t ledger::jobs_in_queue(std::string_view queue) const {
  const auto at = jobs_per_queue_.find(queue);
  return at == jobs_per_queue_.end() ? 0 : at->second;
}

bool ledger::operator==(const ledger& other) const {
  return next_job_number_ == other.next_job_number_ && jobs_ == other.jobs_ && queues_ == other.queues_ &&
         schedulers_ == other.schedulers_ && hooks_ == other.hooks_ && hosts_ == other.hosts_ &&
         book_.vnodes() == other.book_.vnodes();
}

const host_state* ledger::host_of_vnode(std::string_view vnode) const {
  for (const auto& [serial, host] : hosts_)
    if (host.vnode(vnode)) return &host;
  return nullptr;
}

bool ledger::busy(const host_state& host) const {
  return std::any_of(host.vnodes.begin(), host.vnodes.end(), [&](const vnode_state& v) {
    const auto* use = book_.find(v.name);
    return use && !use->jobs.empty();
  });
}

// -- check ---------------------------------------------------------------------------------------------------------------

namespace {

bool names_contain(const std::map<std::uint64_t, std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const auto& entry) { return entry.second == name; });
}

std::optional<rejection> too_little(const std::string& resource) {
  return refuse(pbs_error::resource_unavailable, "Insufficient amount of resource: " + resource + " ");
}

}  // namespace

// Every amount asked of a vnode must be free there, and nobody may share what is held exclusively.
std::optional<rejection> ledger::check_room(const wanted& w) const {
  if (!jobs_.contains(w.job)) return refuse(pbs_error::unknown_job);
  std::map<std::string, amounts> asked;
  for (auto& part : assignment_book::parts_of(w.exec_vnode)) {
    auto& of_vnode = asked[part.vnode];          // a part may ask nothing that is counted
    for (const auto& [resource, a] : part.asked) of_vnode[resource].value += a.value;
  }
  if (asked.empty() && !w.holds_already) return refuse(pbs_error::unknown_node, "no vnode in exec_vnode");
  for (const auto& [name, wanted] : asked) {
    const auto* host = host_of_vnode(name);
    if (!host) return refuse(pbs_error::unknown_node, std::string(values::pbs_error_text(pbs_error::unknown_node)) + " " + name);
    const auto& vnode = *host->vnode(name);
    if (!base_state(*host, vnode).empty())
      return refuse(pbs_error::resource_unavailable, "Node is in an ineligible state: " + base_state(*host, vnode));
    const auto* use = book_.find(name);
    if (use && std::any_of(use->maintenance.begin(), use->maintenance.end(), [&](const auto& id) { return id != w.resumed_by_admin; }))
      return refuse(pbs_error::resource_unavailable, "Node is in an ineligible state: maintenance");
    const auto sharing = vnode.attributes.get(attributes::node::sharing).value_or("");
    const bool exclusive = hold_of(w.place, sharing) == hold_kind::exclusive;
    if (!w.holds_already && use && !use->jobs.empty() && (exclusive || use->exclusive()))
      return refuse(pbs_error::resource_unavailable, "Not enough free nodes available");
    for (const auto& [resource, a] : wanted) {
      const auto available = vnode.attributes.get(attributes::node::resources_available, resource);
      bool counts = false;
      const auto have = available ? read_amount(*available, &counts) : amount{};
      if (available && !counts) continue;      // an indirect pool or a text: nothing to count here
      double taken = 0;
      if (use)
        if (const auto t = use->assigned.find(resource); t != use->assigned.end()) taken = t->second.value;
      if (a.value > 0 && taken + a.value > have.value) return too_little(resource);
    }
  }
  return std::nullopt;
}

std::optional<rejection> ledger::check(const event_place& at, schema::Event::Reader event) const {
  switch (event.which()) {
    case which::JOB_QUEUED: {
      const auto e = event.getJobQueued();
      if (job_of_number_.contains(e.getNumber())) return refuse(pbs_error::job_exists);
      if (!names_contain(queues_, schema::text(e.getQueue()))) return refuse(pbs_error::unknown_queue);
      return std::nullopt;
    }
    case which::JOB_ASSIGNED: {
      const auto e = event.getJobAssigned();
      return check_room({at.stream, schema::text(e.getExecVnode()), schema::text(e.getPlace()), {}});
    }
    case which::JOB_RESUMED: {
      const auto e = event.getJobResumed();
      const auto job = jobs_.find(at.stream);
      const auto id = job == jobs_.end() ? std::string() : std::to_string(job->second.number);
      return check_room({at.stream, schema::text(e.getTaken()), schema::text(e.getPlace()), e.getAdmin() ? std::string_view(id) : std::string_view(), e.getPartly()});
    }
    case which::JOB_MOVED:
      if (!names_contain(queues_, schema::text(event.getJobMoved().getQueue()))) return refuse(pbs_error::unknown_queue);
      return std::nullopt;
    case which::QUEUE_CREATED:
      if (names_contain(queues_, schema::text(event.getQueueCreated().getName()))) return refuse(pbs_error::queue_exists);
      return std::nullopt;
    case which::QUEUE_DELETED:
      if (jobs_in_queue(schema::text(event.getQueueDeleted().getName())) > 0) return refuse(pbs_error::object_busy);
      return std::nullopt;
    case which::SCHEDULER_CREATED:
      if (names_contain(schedulers_, schema::text(event.getSchedulerCreated().getName())))
        return refuse(pbs_error::scheduler_exists);
      return std::nullopt;
    case which::HOOK_CREATED: {
      const auto name = schema::str(event.getHookCreated().getName());
      if (names_contain(hooks_, name))
        return refuse(pbs_error::hook_error, "hook name '" + name + "' already registered, try another name");
      return std::nullopt;
    }
    case which::VNODE_CREATED:
      if (host_of_vnode(schema::text(event.getVnodeCreated().getName()))) return refuse(pbs_error::node_exists);
      return std::nullopt;
    case which::VNODE_DELETED: {
      const auto* use = book_.find(schema::text(event.getVnodeDeleted().getName()));
      if (use && !use->jobs.empty()) return refuse(pbs_error::object_busy);
      return std::nullopt;
    }
    default: return std::nullopt;
  }
}

// -- apply ---------------------------------------------------------------------------------------------------------------

void ledger::apply(const event_place& at, schema::Event::Reader event) {
  const auto facts = [&](std::string_view name) {
    const auto* host = host_of_vnode(name);
    ANNALS_INVARIANT(host, "an assigned vnode exists");
    return assignment_book::vnode_facts{host->name, host->vnode(name)->attributes.get(attributes::node::sharing).value_or("")};
  };
  switch (event.which()) {
    case which::JOB_QUEUED: {
      const auto e = event.getJobQueued();
      next_job_number_ = std::max(next_job_number_, e.getNumber() + 1);
      jobs_[at.stream] = {e.getNumber(), schema::str(e.getQueue())};
      job_of_number_[e.getNumber()] = at.stream;
      ++jobs_per_queue_[schema::str(e.getQueue())];
      break;
    }
    case which::JOB_ASSIGNED: book_.assign(at.stream, std::to_string(jobs_.at(at.stream).number), event.getJobAssigned(), facts); break;
    case which::JOB_SUSPENDED: book_.suspend(at.stream, std::to_string(jobs_.at(at.stream).number), event.getJobSuspended()); break;
    case which::JOB_RESUMED: book_.resume(at.stream, std::to_string(jobs_.at(at.stream).number), event.getJobResumed(), facts); break;
    case which::JOB_MOVED: {
      auto& queue = jobs_.at(at.stream).queue;
      --jobs_per_queue_[queue];
      queue = schema::str(event.getJobMoved().getQueue());
      ++jobs_per_queue_[queue];
      break;
    }
    case which::VNODE_HANDED_BACK:
      book_.end_maintenance(std::to_string(jobs_.at(at.stream).number));
      book_.hand_back(at.stream, schema::text(event.getVnodeHandedBack().getHost()), at.seconds());
      break;
    case which::JOB_ENDED: --jobs_per_queue_[jobs_.at(at.stream).queue]; break;
    case which::JOB_FORGOTTEN:
      job_of_number_.erase(jobs_.at(at.stream).number);
      jobs_.erase(at.stream);
      break;
    case which::QUEUE_CREATED: queues_[at.stream] = schema::str(event.getQueueCreated().getName()); break;
    case which::QUEUE_DELETED: queues_.erase(at.stream); break;
    case which::SCHEDULER_CREATED: schedulers_[at.stream] = schema::str(event.getSchedulerCreated().getName()); break;
    case which::SCHEDULER_DELETED: schedulers_.erase(at.stream); break;
    case which::HOOK_CREATED: hooks_[at.stream] = schema::str(event.getHookCreated().getName()); break;
    case which::HOOK_DELETED: hooks_.erase(at.stream); break;
    case which::HOST_ADDED:
    case which::HOST_CAME_UP:
    case which::HOST_WENT_DOWN:
    case which::VNODE_CREATED:
    case which::VNODE_CHANGED:
    case which::VNODE_DELETED: model::apply(hosts_[at.stream], at, event); break;
    case which::HOST_REMOVED: hosts_.erase(at.stream); break;
    default: break;
  }
}

}  // namespace annals::model
