// The queue of each reservation and the jobs in it: made when the reservation is confirmed, started while a window is open; at the
// end its jobs go, then the queue, then the reservation. Between two windows of a standing one what still runs is killed; what waits stays.
// Also when a reservation was without a job for too long (delete_idle_time). Source: pbs guide, "reservations"; MS-99, MS-102.
#include <algorithm>
#include <map>
#include <utility>

#include "actors/server/reactions/all.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/attributes/table.hpp"
#include "events/log/place.hpp"
#include "events/model/queue/queue.hpp"

namespace annals::reactions {

namespace {

namespace ids = attributes::reservation;
namespace queue_ids = attributes::queue;
using phase = model::reservation_phase;

struct reserved {
  model::reservation_state state;
  std::uint64_t since = 0;       // its last record
  std::int64_t began_ns = 0;     // its open window
  std::int64_t last_job_ns = 0;  // when a job left its queue
  bool has_job = false;          // that it is made for: it came, or will not come any more
  bool had_queue = false;        // one was made
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.state, self.since, self.began_ns, self.last_job_ns, self.has_job, self.had_queue);
  }
};
struct its_queue {
  model::queue_state state;
  std::uint64_t since = 0;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.state, self.since);
  }
};
struct its_job {
  std::string queue, id;
  std::uint64_t queued = 0;  // sequence
  bool runs = false, deleted = false;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.queue, self.id, self.queued, self.runs, self.deleted);
  }
};

// What the queue is to have.
attributes::attribute_set wanted_of(const model::reservation_state& r, const model::settings& settings) {
  attributes::attribute_set w;
  w.set(queue_ids::queue_type, "Execution");
  const auto list = [&](attributes::attribute_id from, attributes::attribute_id enable, attributes::attribute_id to) {
    const auto names = r.attributes.get(from);
    if (!names) return;
    w.set(enable, "True");
    w.set(to, *names);
  };
  list(ids::Authorized_Hosts, queue_ids::acl_host_enable, queue_ids::acl_hosts);
  list(ids::Authorized_Users, queue_ids::acl_user_enable, queue_ids::acl_users);
  list(ids::Authorized_Groups, queue_ids::acl_group_enable, queue_ids::acl_groups);
  for (const auto& e : r.attributes) {
    if (e.id != ids::Resource_List || e.resource == "nodect") continue;
    const auto* resource = settings.resources.find(e.resource);
    if (!resource || !resource->has(attributes::summed)) continue;
    w.set(queue_ids::resources_max, e.resource, e.value);
    w.set(queue_ids::resources_available, e.resource, e.value);
  }
  if (!r.partition.empty()) w.set(queue_ids::partition, r.partition);
  w.set(queue_ids::enabled, r.lives() ? "True" : "False");
  w.set(queue_ids::started, r.phase == phase::running ? "True" : "False");
  return w;
}

// A job is moved to it: one that waits, or one that runs.
bool is_for_job(const model::reservation_state& r) {
  return r.kind == schema::ReservationKind::ASAP || r.kind == schema::ReservationKind::FROM_JOB;
}

// These follow the reservation whoever sets them; the others are its word when it is made and when it changes.
bool always_its_own(attributes::attribute_id id) {
  return id == queue_ids::enabled || id == queue_ids::started || id == queue_ids::partition;
}

class queues final : public stored_reaction<queues> {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    switch (event.which()) {
      case schema::Event::RESERVATION: return fold_reservation(record);
      case schema::Event::QUEUE: return fold_queue(record);
      case schema::Event::JOB: return fold_job(record, event.getJob());
      case schema::Event::SERVER:
      case schema::Event::HOST:
      case schema::Event::SCHEDULER:
      case schema::Event::RUN:
      case schema::Event::PART:
      case schema::Event::HOOK:
      case schema::Event::LOG: return false;
    }
    return false;
  }

  void clock_went_back(std::int64_t to_ns) override {
    for (auto& [serial, r] : reservations_) {
      r.began_ns = std::min(r.began_ns, to_ns);
      r.last_job_ns = std::min(r.last_job_ns, to_ns);
    }
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    for (const auto& [serial, r] : reservations_) {
      if (!r.state.has_queue()) continue;
      const auto queue = queues_.find(r.state.id);
      if (r.state.lives()) {
        if (queue == queues_.end()) orders.push_back(make_queue(r, at.settings));
        else if (auto set = set_queue(r, queue->second, at.settings)) orders.push_back(std::move(set));
        if (queue != queues_.end() && is_for_job(r.state) && !r.has_job)
          orders.push_back(move_job(r, at.settings));
        if (r.state.running == 0 && r.state.over > 0) kill_runs(r, at.settings, orders);
        if (const auto due = unused_ns(r); due && *due <= at.now_ns)
          orders.push_back(tell(r, "unused", model::reservation_unused{}, at.settings));
      } else {
        wind_up(r, queue == queues_.end() ? nullptr : &queue->second, at.settings, orders);
      }
    }
    return orders;
  }

  std::optional<std::int64_t> next_ns(const moment& at) const override {
    std::optional<std::int64_t> next;
    for (const auto& [serial, r] : reservations_)
      if (const auto due = unused_ns(r); due && *due > at.now_ns) next = std::min(next.value_or(*due), *due);
    return next;
  }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.reservations_, self.made_for_, self.by_queue_, self.queues_, self.queue_names_, self.jobs_);
  }

 private:
  // -- what is there -----------------------------------------------------------------------------------------------------------

  bool fold_reservation(const log::record& record) {
    const auto at = log::place_of(record);
    const auto event = record.event().getReservation();
    auto& r = reservations_[at.stream];
    model::apply(r.state, at, event);
    r.since = at.sequence;
    if (event.isOccurrenceBegan()) r.began_ns = at.wall_ns;
    if (event.isSubmitted()) by_queue_[r.state.id] = at.stream;
    if (event.isSubmitted() && is_for_job(r.state)) made_for_[r.state.job] = at.stream;
    if (r.state.phase != phase::ended) return true;
    if (r.state.job != 0) made_for_.erase(r.state.job);
    by_queue_.erase(r.state.id);
    reservations_.erase(at.stream);
    return true;
  }

  bool fold_queue(const log::record& record) {
    const auto at = log::place_of(record);
    const auto event = record.event().getQueue();
    if (event.isCreated() && event.getCreated().getReservation() != 0) {
      queue_names_[at.stream] = schema::str(event.getCreated().getName());
      if (const auto r = reservations_.find(event.getCreated().getReservation()); r != reservations_.end()) r->second.had_queue = true;
    }
    const auto name = queue_names_.find(at.stream);
    if (name == queue_names_.end()) return false;
    auto& queue = queues_[name->second];
    model::apply(queue.state, at, event);
    queue.since = at.sequence;
    if (queue.state.exists) return true;
    queues_.erase(name->second);
    queue_names_.erase(name);
    return true;
  }

  bool fold_job(const log::record& record, schema::JobEvent::Reader event) {
    const auto serial = record.get().getStream();
    if (event.isQueued()) return came(record, schema::str(event.getQueued().getQueue()), schema::str(event.getQueued().getId()));
    if (event.isMoved() || event.isAssigned() || event.isEnded()) settle(serial, event);
    if (event.isMoved()) return moved(record, schema::str(event.getMoved().getQueue()));
    const auto job = jobs_.find(serial);
    if (job == jobs_.end()) return false;
    if (event.isAssigned()) job->second.runs = true;
    else if (event.isRequeued()) job->second.runs = false;
    else if (event.isDeleteRequested()) job->second.deleted = true;
    else if (event.isEnded()) left(job, record.get().getWallNs());
    else return false;
    return true;
  }

  // The job that a reservation was made for has come to it, or has ended; one that waited runs elsewhere.
  void settle(std::uint64_t serial, schema::JobEvent::Reader event) {
    const auto made = made_for_.find(serial);
    if (made == made_for_.end()) return;
    auto& r = reservations_.at(made->second);
    if (event.isAssigned() && r.state.kind == schema::ReservationKind::FROM_JOB) return;
    if (!event.isMoved() || event.getMoved().getQueue() == r.state.id.c_str()) r.has_job = true;
  }

  bool came(const log::record& record, const std::string& queue, std::string id) {
    if (!by_queue_.contains(queue)) return false;
    jobs_[record.get().getStream()] = {queue, std::move(id), record.sequence()};
    return true;
  }

  bool moved(const log::record& record, const std::string& queue) {
    const auto known = jobs_.find(record.get().getStream());
    if (known != jobs_.end()) left(known, record.get().getWallNs());
    return came(record, queue, "") || known != jobs_.end();
  }

  void left(std::map<std::uint64_t, its_job>::iterator job, std::int64_t at_ns) {
    if (const auto of = by_queue_.find(job->second.queue); of != by_queue_.end()) reservations_.at(of->second).last_job_ns = at_ns;
    jobs_.erase(job);
  }

  bool has_jobs(const reserved& r) const {
    return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& j) { return j.second.queue == r.state.id; });
  }

  // When it was without a job for too long; nothing: it has one, or may be without.
  std::optional<std::int64_t> unused_ns(const reserved& r) const {
    const auto patience = attributes::seconds_of(r.state.attributes, ids::delete_idle_time);
    if (r.state.phase != phase::running || !patience || has_jobs(r)) return std::nullopt;
    return std::max(r.began_ns, r.last_job_ns) + *patience * second_ns;
  }

  // -- what is owed ------------------------------------------------------------------------------------------------------------

  static model::requester server_itself(const model::settings& settings) {
    return {"pbs_server", settings.host_name, schema::Role::SERVER};
  }
  // Who ended it: a person, or its time did. Jobs and logs have his name, and he may, since the reservation let him.
  static model::requester ended_by(const reserved& r, const model::settings& settings) {
    const auto at = r.state.deleted_by.find('@');
    if (at == std::string::npos) return {"root", settings.host_name, schema::Role::MANAGER};
    return {r.state.deleted_by.substr(0, at), r.state.deleted_by.substr(at + 1), schema::Role::MANAGER};
  }

  template <class Command>
  static order_ptr tell(const reserved& r, const char* what, Command command, const model::settings& settings) {
    return make_order({.cause = r.since,
                       .target = std::string(what) + " " + r.state.id,
                       .what = tell_reservation{r.state.serial, std::move(command), {"root", settings.host_name, schema::Role::SERVER}}});
  }

  static schema::sealed<schema::Request> request(schema::ManageVerb verb, const reserved& r, const attributes::attribute_set& set) {
    return schema::make<schema::Request>([&](schema::Request::Builder b) {
      auto m = b.initManage();
      m.setKind(schema::ObjectKind::QUEUE);
      m.setVerb(verb);
      m.setName(r.state.id);
      m.setReservation(r.state.serial);
      unsigned n = 0;
      for ([[maybe_unused]] const auto& e : set) ++n;
      auto list = m.initChanges(n);
      unsigned i = 0;
      for (const auto& e : set) {
        list[i].setName(attributes::find(schema::ObjectKind::QUEUE, e.id)->name);
        list[i].setResource(std::string(e.resource));
        list[i++].setValue(std::string(e.value));
      }
    });
  }

  static order_ptr make_queue(const reserved& r, const model::settings& settings) {
    return make_order(
        {.cause = r.since,
         .target = "make " + r.state.id,
         .what = manage_object{request(schema::ManageVerb::CREATE, r, wanted_of(r.state, settings)), server_itself(settings)}});
  }

  static order_ptr set_queue(const reserved& r, const its_queue& queue, const model::settings& settings) {
    attributes::attribute_set missing;
    for (const auto& e : wanted_of(r.state, settings)) {
      if (queue.since > r.since && !always_its_own(e.id)) continue;
      if (queue.state.attributes.get(e.id, e.resource) != e.value) missing.set(e.id, e.resource, e.value);
    }
    if (missing.empty()) return nullptr;
    const auto by = r.state.lives() ? server_itself(settings) : ended_by(r, settings);
    return make_order({.cause = std::max(r.since, queue.since),
                       .target = "set " + r.state.id,
                       .what = manage_object{request(schema::ManageVerb::SET, r, missing), by}});
  }

  static order_ptr move_job(const reserved& r, const model::settings& settings) {
    model::client_request command{schema::make<schema::Request>([&](schema::Request::Builder b) {
      const auto name = r.state.kind == schema::ReservationKind::FROM_JOB ? ids::reserve_job : ids::qmove;
      b.initMoveJob().setJob(std::string(r.state.attributes.get(name).value_or("")));
      b.getMoveJob().setDestination(r.state.id);
    })};
    return make_order({.cause = r.since,
                       .target = "job " + std::to_string(r.state.job),
                       .what = tell_job{r.state.job, std::move(command), server_itself(settings)}});
  }

  template <class Fill>
  static order_ptr to_job(std::uint64_t serial, const its_job& job, const reserved& r, const model::requester& by, order::repeat given,
                          Fill&& fill) {
    model::client_request command{schema::make<schema::Request>([&](schema::Request::Builder b) { fill(b, job.id); })};
    return make_order({.cause = std::max(r.since, job.queued),
                       .target = "job " + std::to_string(serial),
                       .what = tell_job{serial, std::move(command), by},
                       .given = given});
  }

  // What began in a window does not outlast it.
  void kill_runs(const reserved& r, const model::settings& settings, std::vector<order_ptr>& orders) const {
    for (const auto& [serial, job] : jobs_)
      if (job.queue == r.state.id && job.runs)
        orders.push_back(to_job(serial, job, r, {"root", settings.host_name, schema::Role::SERVER}, order::repeat::until_accepted,
                                [](schema::Request::Builder b, const std::string& id) {
                                  b.initSignalJob().setJob(id);
                                  b.getSignalJob().setSignal("SIGKILL");
                                }));
  }

  void wind_up(const reserved& r, const its_queue* queue, const model::settings& settings, std::vector<order_ptr>& orders) const {
    if (queue)
      if (auto set = set_queue(r, *queue, settings)) orders.push_back(std::move(set));
    bool empty = true;
    for (const auto& [serial, job] : jobs_) {
      if (job.queue != r.state.id) continue;
      empty = false;
      if (!job.deleted)
        orders.push_back(to_job(serial, job, r, ended_by(r, settings), order::repeat::until_folded,
                                [](schema::Request::Builder b, const std::string& id) { b.initDeleteJob().setJob(id); }));
    }
    if (!empty) return;
    // One that was ordered is waited for, or it would come when nobody is left to delete it.
    if (!queue && !r.had_queue) return orders.push_back(make_queue(r, settings));
    if (!queue) return orders.push_back(tell(r, "end", model::reservation_empty{}, settings));
    orders.push_back(make_order({.cause = std::max(r.since, queue->since),
                                 .target = "delete " + r.state.id,
                                 .what = manage_object{request(schema::ManageVerb::DELETE, r, {}), server_itself(settings)}}));
  }

  std::map<std::uint64_t, reserved> reservations_;   // by serial
  std::map<std::uint64_t, std::uint64_t> made_for_;  // by the job's serial
  std::map<std::string, std::uint64_t> by_queue_;    // a reservation's queue has its name
  std::map<std::string, its_queue> queues_;
  std::map<std::uint64_t, std::string> queue_names_;  // by stream
  std::map<std::uint64_t, its_job> jobs_;             // unfinished, in their queues
};

}  // namespace

std::unique_ptr<reaction> reservation_queues() { return std::make_unique<queues>(); }

}  // namespace annals::reactions
