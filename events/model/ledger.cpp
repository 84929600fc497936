#include "events/model/ledger.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/attributes/resources.hpp"
#include "events/model/hook/hook.hpp"
#include "events/model/refuse.hpp"
#include "events/model/vnodes/pools.hpp"
#include "events/values/job_id.hpp"

namespace annals::model {

namespace pbs_error = values::pbs_error;

std::size_t ledger::jobs_in_queue(std::string_view queue) const {
  const auto at = jobs_per_queue_.find(queue);
  return at == jobs_per_queue_.end() ? 0 : at->second;
}

bool ledger::operator==(const ledger& other) const {
  return next_job_number_ == other.next_job_number_ && jobs_ == other.jobs_ && ended_ == other.ended_ && queues_ == other.queues_ &&
         schedulers_ == other.schedulers_ && hooks_ == other.hooks_ && provision_hook_ == other.provision_hook_ &&
         partitions_ == other.partitions_ && suspended_ == other.suspended_ && directories_ == other.directories_ &&
         formulas_ == other.formulas_ && limits_ == other.limits_ && dependencies_ == other.dependencies_ &&
         resource_users_ == other.resource_users_ && bookings_ == other.bookings_ && holdings_ == other.holdings_;
}

// -- check ---------------------------------------------------------------------------------------------------------------

namespace {

bool names_contain(const std::map<std::uint64_t, std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const auto& entry) { return entry.second == name; });
}

}  // namespace

std::optional<rejection> ledger::check(const event_place& at, schema::Event::Reader event, newborn* born) const {
  switch (event.which()) {
    case schema::Event::JOB: return check_job(at, event.getJob(), born);
    case schema::Event::QUEUE: return check_queue(at, event.getQueue());
    case schema::Event::SCHEDULER:
      if (auto why = directories_.check(at, event.getScheduler())) return why;
      if (auto why = formulas_.check(event.getScheduler())) return why;
      return check_scheduler(at, event.getScheduler());
    case schema::Event::HOOK: return check_hook(at, event.getHook());
    case schema::Event::HOST: return check_host(at, event.getHost());
    case schema::Event::SERVER: return check_server(event.getServer());
    case schema::Event::RESERVATION: return check_reservation(at, event.getReservation(), born);
    case schema::Event::RUN:
    case schema::Event::PART:
    case schema::Event::LOG: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<rejection> ledger::check_job(const event_place& at, schema::JobEvent::Reader event, newborn* born) const {
  using which = schema::JobEvent::Which;
  switch (event.which()) {
    case which::QUEUED: {
      const auto e = event.getQueued();
      if (job_of_number_.contains(e.getNumber()) || bookings_.has_number(e.getNumber())) return refuse(pbs_error::job_exists);
      if (!names_contain(queues_, schema::text(e.getQueue()))) return refuse(pbs_error::unknown_queue);
      if (born) *born = {at.stream, e.getNumber(), schema::str(e.getQueue())};
      if (values::is_subjob(e.getNumber())) return std::nullopt;  // its array was asked
      if (auto why = dependencies_.check(e.getNumber(), event)) return why;
      return limits_.check({}, "", event);
    }
    case which::SUBJOB_BEGAN: {
      const auto array = jobs_.find(at.stream);
      return array == jobs_.end() ? std::nullopt : dependencies_.check(array->second.number, event);
    }
    case which::ASSIGNED: {
      const auto e = event.getAssigned();
      if (const auto job = jobs_.find(at.stream); job != jobs_.end())
        if (auto why = dependencies_.check(job->second.number, event)) return why;
      return check_room(at, {{}, schema::text(e.getExecVnode()), schema::text(e.getPlace())}, true, born);
    }
    case which::VNODES_TAKEN: {
      const auto e = event.getVnodesTaken();
      return check_room(at, {{}, schema::text(e.getExecVnode()), schema::text(e.getPlace()), e.getAmountsOnly()}, false, nullptr);
    }
    case which::MOVED:
      if (!names_contain(queues_, schema::text(event.getMoved().getQueue()))) return refuse(pbs_error::unknown_queue);
      [[fallthrough]];
    case which::ALTERED: {
      const auto job = jobs_.find(at.stream);
      if (job == jobs_.end()) return std::nullopt;
      if (auto why = dependencies_.check(job->second.number, event)) return why;
      if (!job->second.counted.counted) return std::nullopt;
      return limits_.check(job->second.counted, job->second.queue, event);
    }
    default: return std::nullopt;  // what JobReduced lets go is held until VnodesReleased
  }
}

// A run stays in the partition in which it began, wherever its queue has come meanwhile.
std::optional<rejection> ledger::check_room(const event_place& at, model::holdings::wanted w, bool begins, const newborn* born) const {
  const auto known = jobs_.find(at.stream);
  const bool is_born = known == jobs_.end() && born && born->stream == at.stream;
  if (known == jobs_.end() && !is_born) return refuse(pbs_error::unknown_job);
  const auto& queue = is_born ? born->queue : known->second.queue;
  const auto queue_of = [&](std::uint64_t serial) -> std::string_view {
    const auto known = jobs_.find(serial);
    return known == jobs_.end() ? std::string_view() : std::string_view(known->second.queue);
  };
  const bool by_scheduler = at.by.role == schema::Role::SCHEDULER;
  if (auto why = bookings_.check_run({queue, w.exec_vnode, begins, by_scheduler}, holdings_, queue_of)) return why;
  const auto id = std::to_string(is_born ? born->number : known->second.number);
  w.id = id;
  w.partition = begins ? holdings_.partition_number(partitions_.of_queue(queue)) : known->second.partition;
  return holdings_.why_not(w);
}

namespace {

// Jobs of a routing queue are routed, those of an execution queue are run: the type of their queue stays.
bool gets_another_type(schema::QueueEvent::Reader event) {
  if (!event.isChanged()) return false;
  for (auto c : event.getChanged().getChanges())
    if (c.getName() == "queue_type") return true;
  return false;
}

}  // namespace

// By jobs, or by vnodes that serve it. The queue of a reservation goes with it.
bool ledger::is_used(const event_place& at, std::string_view queue) const {
  if (jobs_in_queue(queue) > 0) return true;
  return !at.by.is_daemon() && std::ranges::any_of(holdings_.hosts(), [&](const auto& host) {
    return std::ranges::any_of(host.second.vnodes, [&](const auto& v) { return v.attributes.get(attributes::node::queue) == queue; });
  });
}

std::optional<rejection> ledger::check_queue(const event_place& at, schema::QueueEvent::Reader event) const {
  if (event.isCreated() && names_contain(queues_, schema::text(event.getCreated().getName()))) return refuse(pbs_error::queue_exists);
  if (const auto named = queues_.find(at.stream); named != queues_.end() && gets_another_type(event) && jobs_in_queue(named->second) > 0)
    return refuse(pbs_error::incompatible_type, "Incompatible type: queue " + named->second + " has jobs");
  if (event.isDeleted() && is_used(at, schema::text(event.getDeleted().getName()))) return refuse(pbs_error::object_busy);
  if (auto why = limits_.check(event)) return why;
  return partitions_.check(at, event, holdings_);
}

std::optional<rejection> ledger::check_server(schema::ServerEvent::Reader event) const {
  if (const auto resource = resource_users_.unmade(event); !resource.empty()) {
    if (resource_users_.any_job_asks_for(resource)) return refuse(pbs_error::resource_busy, "Resource busy on job");
    if (bookings_.any_asks_for(resource)) return refuse(pbs_error::resource_busy, "Resource busy on reservation");
  }
  // As in PBS, only of one that is not in use.
  if (event.isResourceChanged()) {
    const auto to = event.getResourceChanged();
    if (const auto why = attributes::disagreement(schema::text(to.getName()), schema::text(to.getType()), schema::text(to.getFlags())))
      return rejection{why->code, why->text};
  }
  if (auto why = formulas_.check(event)) return why;
  return limits_.check(event);
}

std::optional<rejection> ledger::check_scheduler(const event_place& at, schema::SchedulerEvent::Reader event) const {
  if (event.isCreated() && names_contain(schedulers_, schema::text(event.getCreated().getName())))
    return refuse(pbs_error::scheduler_exists);
  return partitions_.check(at, event);
}

namespace {

// The events that a change gives the hook; nothing: it leaves them.
std::optional<bool> is_for_provision(schema::HookEvent::Reader event) {
  std::optional<bool> found;
  if (event.isChanged())
    for (auto change : event.getChanged().getChanges())
      if (schema::text(change.getName()) == "event") found = schema::text(change.getValue()) == "provision";
  return found;
}

}  // namespace

std::optional<rejection> ledger::check_hook(const event_place& at, schema::HookEvent::Reader event) const {
  if (provision_hook_ != 0 && provision_hook_ != at.stream && is_for_provision(event).value_or(false))
    return refuse(pbs_error::hook_error, std::string(one_provision_hook));
  if (!event.isCreated() || !names_contain(hooks_, schema::text(event.getCreated().getName()))) return std::nullopt;
  return refuse(pbs_error::hook_error,
                "hook name '" + schema::str(event.getCreated().getName()) + "' already registered, try another name");
}

// Reservations and jobs have one sequence of numbers.
std::optional<rejection> ledger::check_reservation(const event_place& at, schema::ReservationEvent::Reader event,
                                                   newborn* born) const {
  if (event.isSubmitted()) {
    const auto number = number_of(schema::text(event.getSubmitted().getId()));
    if (job_of_number_.contains(number) || bookings_.has_number(number)) return refuse(pbs_error::reservation_exists);
    if (names_contain(queues_, schema::text(event.getSubmitted().getId()))) return refuse(pbs_error::queue_exists);
  }
  if (const auto* queue = bookings_.put_off(at, event); queue && jobs_in_queue(*queue) > 0) return refuse(pbs_error::reservation_not_empty);
  const auto* const begun = born && born->reservation ? &*born->reservation : nullptr;
  auto why = bookings_.check(at, event, holdings_, begun);
  if (!why && born && event.isSubmitted()) model::apply(born->reservation.emplace(), at, event);
  return why;
}

std::optional<rejection> ledger::check_vnode(const event_place& at, schema::VnodeChanged::Reader event) const {
  for (auto c : event.getChanges())
    if (c.getName() == "queue" && c.getValue().size() > 0 && !names_contain(queues_, schema::text(c.getValue())))
      return refuse(pbs_error::unknown_queue);
  if (auto why = wrong_pool(event, holdings_)) return why;
  if (!at.by.is_daemon())  // the server takes away what is set of a resource that is no more
    if (auto why = needed_pool(event, holdings_)) return why;
  return partitions_.check(event, holdings_, suspended_);
}

std::optional<rejection> ledger::check_host(const event_place& at, schema::HostEvent::Reader event) const {
  if (event.isVnodeCreated() && holdings_.host_of(schema::text(event.getVnodeCreated().getName()))) return refuse(pbs_error::node_exists);
  if (event.isVnodeChanged()) return check_vnode(at, event.getVnodeChanged());
  if (event.isVnodeDeleted()) return check_deletion(schema::text(event.getVnodeDeleted().getName()));
  return std::nullopt;
}

// pbsnodes does not list jobs that are suspended: who asks is told.
std::optional<rejection> ledger::check_deletion(std::string_view vnode) const {
  if (holdings_.is_pool(vnode, "")) return refuse(pbs_error::object_busy);
  if (const auto* use = holdings_.find(vnode); use && !use->jobs.empty()) return refuse(pbs_error::object_busy);
  const auto suspended = suspended_.job_on(vnode);
  if (!suspended) return std::nullopt;
  auto job = values::id_of_number(jobs_.at(*suspended).number, "");
  job.pop_back();  // the dot before the server's name
  return refuse(pbs_error::object_busy,
                std::string(values::pbs_error_text(pbs_error::object_busy)) + ": job " + job + " is suspended there");
}

// -- apply ---------------------------------------------------------------------------------------------------------------

void ledger::apply(const event_place& at, schema::Event::Reader event) {
  switch (event.which()) {
    case schema::Event::JOB: return apply_job(at, event.getJob());
    case schema::Event::QUEUE:
      partitions_.apply(at, event.getQueue());
      limits_.apply(at, event.getQueue());
      return apply_named(queues_, at, event.getQueue());
    case schema::Event::SCHEDULER:
      partitions_.apply(at, event.getScheduler());
      directories_.apply(at, event.getScheduler());
      formulas_.apply(at, event.getScheduler());
      return apply_named(schedulers_, at, event.getScheduler());
    case schema::Event::HOOK:
      if (const auto is_it = is_for_provision(event.getHook())) {
        if (*is_it) provision_hook_ = at.stream;
        else if (provision_hook_ == at.stream) provision_hook_ = 0;
      }
      if (event.getHook().isDeleted() && provision_hook_ == at.stream) provision_hook_ = 0;
      return apply_named(hooks_, at, event.getHook());
    case schema::Event::HOST: return holdings_.apply(at, event.getHost());
    case schema::Event::LOG:
      if (event.getLog().isSalvaged()) next_job_number_ = std::max(next_job_number_, event.getLog().getSalvaged().getNextJobNumber());
      if (event.getLog().isLossAccepted()) next_job_number_ = std::max(next_job_number_, event.getLog().getLossAccepted().getNextNumber());
      return;
    case schema::Event::SERVER:
      resource_users_.apply(event.getServer());
      formulas_.apply(event.getServer());
      holdings_.apply(event.getServer());
      return limits_.apply(event.getServer());
    case schema::Event::RESERVATION: return apply_reservation(at, event.getReservation());
    case schema::Event::RUN:
    case schema::Event::PART: return;
  }
}

void ledger::apply_reservation(const event_place& at, schema::ReservationEvent::Reader event) {
  if (event.isSubmitted()) next_job_number_ = std::max(next_job_number_, number_of(schema::text(event.getSubmitted().getId())) + 1);
  bookings_.apply(at, event);
}

template <class Event>
void ledger::apply_named(names& of, const event_place& at, Event event) {
  if (event.isCreated()) of[at.stream] = schema::str(event.getCreated().getName());
  if (event.isDeleted()) of.erase(at.stream);
}

void ledger::apply_dependencies(std::uint64_t number, schema::JobEvent::Reader event) {
  dependencies_.apply(number, event, [this](std::uint64_t other) {
    const auto serial = job_of_number_.find(other);
    const auto job = serial ? jobs_.find(*serial) : jobs_.end();
    return job == jobs_.end() ? dependency_graph::progress::over : job->second.is;
  });
}

std::optional<std::uint64_t> ledger::number_of_job(std::uint64_t job) const {
  if (const auto known = jobs_.find(job); known != jobs_.end()) return known->second.number;
  return ended_.find(job);
}

void ledger::forget(std::uint64_t job) {
  const auto number = number_of_job(job);
  if (const auto waits = jobs_.find(job); waits != jobs_.end()) {  // a subjob that is its array's again
    --jobs_per_queue_[waits->second.queue];
    jobs_.erase(waits);
  }
  ended_.erase(job);
  if (const auto named = number ? job_of_number_.find(*number) : std::nullopt; named && *named == job) job_of_number_.erase(*number);
}

void ledger::apply_job(const event_place& at, schema::JobEvent::Reader event) {
  using which = schema::JobEvent::Which;
  resource_users_.apply(at, event);
  suspended_.apply(at, event);
  if (event.isQueued()) apply_dependencies(event.getQueued().getNumber(), event);
  else if (const auto number = number_of_job(at.stream)) apply_dependencies(*number, event);
  if (event.isQueued()) limits_.apply(jobs_[at.stream].counted, at, event);
  else if (const auto job = jobs_.find(at.stream); job != jobs_.end() && job->second.counted.counted)
    limits_.apply(job->second.counted, at, event);
  switch (event.which()) {
    case which::QUEUED: {
      const auto e = event.getQueued();
      next_job_number_ = std::max(next_job_number_, values::array_of(e.getNumber()) + 1);
      auto& job = jobs_[at.stream];
      job.number = e.getNumber();
      job.queue = schema::str(e.getQueue());
      job_of_number_.put(e.getNumber(), at.stream);
      ++jobs_per_queue_[schema::str(e.getQueue())];
      return;
    }
    case which::SUBJOB_BEGAN: jobs_.at(at.stream).is = dependency_graph::progress::runs; return;
    case which::ASSIGNED: {
      auto& job = jobs_.at(at.stream);
      job.is = dependency_graph::progress::runs;
      job.partition = holdings_.partition_number(partitions_.of_queue(job.queue));
      return holdings_.apply(at, std::to_string(job.number), event);
    }
    case which::VNODES_RELEASED:
    case which::VNODES_TAKEN:
    case which::SUSPENDED:
    case which::RESUMED: return holdings_.apply(at, std::to_string(jobs_.at(at.stream).number), event);
    case which::MOVED: {
      auto& queue = jobs_.at(at.stream).queue;
      --jobs_per_queue_[queue];
      queue = schema::str(event.getMoved().getQueue());
      ++jobs_per_queue_[queue];
      return;
    }
    case which::ENDED: {
      const auto job = jobs_.find(at.stream);
      --jobs_per_queue_[job->second.queue];
      ended_.put(at.stream, job->second.number);
      jobs_.erase(job);
      return;
    }
    case which::REQUEUED: jobs_.at(at.stream).is = dependency_graph::progress::waits; return;
    case which::FORGOTTEN: return forget(at.stream);
    default: return;
  }
}

}  // namespace annals::model
