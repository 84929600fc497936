// The one piece of state that spans streams: what is assigned on each vnode, names and ids in use, jobs per queue, partitions,
// what limits of submissions count, and which job waits for which.
// Lives in the log writer, is a pure fold like everything else, and is asked before each batch is written, so that two actors
// can never hand out the same cpu or the same name. Governed by docs/design/0007-ledger.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "events/model/dependency_graph.hpp"
#include "events/model/entity_limits/entity_limits.hpp"
#include "events/model/outcome.hpp"
#include "events/model/partitions.hpp"
#include "events/model/reservation/bookings.hpp"
#include "events/model/resource_users.hpp"
#include "events/model/scheduler/directories.hpp"
#include "events/model/scheduler/sort_formulas.hpp"
#include "events/model/vnodes/given_up.hpp"
#include "events/model/vnodes/holdings.hpp"
#include "events/values/job_number_map.hpp"

namespace annals::model {

class ledger {
 public:
  // Whether the event may be written next.
  std::optional<rejection> check(const event_place& at, schema::Event::Reader event) const { return check(at, event, nullptr); }
  // Several events that are written together. A job may be run in the append that begins it (a subjob), and a reservation confirmed
  // (maintenance).
  struct newborn {
    std::uint64_t stream = 0, number = 0;
    std::string queue;
    std::optional<reservation_state> reservation = {};
  };
  std::optional<rejection> check(const event_place& at, schema::Event::Reader event, newborn* born) const;
  void apply(const event_place& at, schema::Event::Reader event);

  std::uint64_t next_job_number() const { return next_job_number_; }
  const model::holdings& holdings() const { return holdings_; }
  std::size_t jobs_in_queue(std::string_view queue) const;
  const job_counts& counts() const { return limits_.counts(); }
  bool operator==(const ledger& other) const;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.next_job_number_, self.jobs_, self.ended_, self.job_of_number_, self.jobs_per_queue_, self.queues_, self.schedulers_,
       self.hooks_, self.provision_hook_, self.partitions_, self.suspended_, self.directories_, self.formulas_, self.limits_,
       self.dependencies_, self.resource_users_, self.bookings_, self.holdings_);
  }

 private:
  struct job_entry {
    std::uint64_t number = 0;
    std::string queue;
    std::uint32_t partition = 0;  // of its run, as a number of holdings: that of its queue when it was assigned
    dependency_graph::progress is = dependency_graph::progress::waits;
    counted_job counted;
    bool operator==(const job_entry&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.number, self.queue, self.partition, self.is, self.counted);
    }
  };
  using names = std::map<std::uint64_t, std::string>;  // by stream serial
  std::optional<rejection> check_job(const event_place& at, schema::JobEvent::Reader event, newborn* born) const;
  std::optional<rejection> check_room(const event_place& at, model::holdings::wanted w, bool begins, const newborn* born) const;
  bool is_used(const event_place& at, std::string_view queue) const;
  std::optional<rejection> check_queue(const event_place& at, schema::QueueEvent::Reader event) const;
  std::optional<rejection> check_server(schema::ServerEvent::Reader event) const;
  std::optional<rejection> check_scheduler(const event_place& at, schema::SchedulerEvent::Reader event) const;
  std::optional<rejection> check_hook(const event_place& at, schema::HookEvent::Reader event) const;
  std::optional<rejection> check_reservation(const event_place& at, schema::ReservationEvent::Reader event, newborn* born) const;
  std::optional<rejection> check_host(const event_place& at, schema::HostEvent::Reader event) const;
  std::optional<rejection> check_vnode(const event_place& at, schema::VnodeChanged::Reader event) const;
  std::optional<rejection> check_deletion(std::string_view vnode) const;
  void apply_reservation(const event_place& at, schema::ReservationEvent::Reader event);
  void apply_dependencies(std::uint64_t number, schema::JobEvent::Reader event);
  void apply_job(const event_place& at, schema::JobEvent::Reader event);
  template <class Event>
  static void apply_named(names& of, const event_place& at, Event event);

  std::uint64_t next_job_number_ = 0;
  std::optional<std::uint64_t> number_of_job(std::uint64_t job) const;  // until it is forgotten
  void forget(std::uint64_t job);
  std::unordered_map<std::uint64_t, job_entry> jobs_;               // by serial, until they end
  values::dense_numbers ended_;                                     // numbers of the others by serial, until they are forgotten
  values::job_number_map job_of_number_;                            // serials of both
  std::map<std::string, std::size_t, std::less<>> jobs_per_queue_;  // unfinished
  names queues_, schedulers_, hooks_;
  std::uint64_t provision_hook_ = 0;  // stream of the hook that provisions; 0: there is none
  model::partitions partitions_;
  given_up_vnodes suspended_;
  scheduler_directories directories_;
  sort_formulas formulas_;
  entity_limits limits_;
  dependency_graph dependencies_;
  resource_users resource_users_;
  model::bookings bookings_;
  model::holdings holdings_;  // a job's id there: its number
};

}  // namespace annals::model
