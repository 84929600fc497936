// A reservation: vnodes that are kept for the jobs of some users, once or again and again. A scheduler finds them; the reservation
// has windows of time, begins and ends with them, and outlives restarts and lost vnodes. Its queue and its jobs are no part of it: a
// reaction looks after them (actors/server/reactions/reservation_queues.cpp). Source: pbs guide, "reservations".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "events/attributes/attribute_set.hpp"
#include "events/model/context.hpp"
#include "events/model/effect.hpp"
#include "events/model/outcome.hpp"
#include "events/model/reservation/occurrences.hpp"
#include "events/model/settings.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/message_names.hpp"
#include "events/values/recurrence.hpp"

namespace annals::model {

struct host_state;

enum class reservation_phase : std::uint8_t {
  none,
  unconfirmed,
  confirmed,      // it waits for its next window
  running,        // a window is open
  being_deleted,  // its jobs go, then its queue
  ended
};

// What the schedulers are asked for. An answer names `number`; each scheduler answers once.
struct reservation_ask {
  std::uint64_t number = 0;  // version of the event that asked
  enum class kind : std::uint8_t { submission,
                                   alteration,
                                   other_place,
                                   later } what = kind::submission;
  std::vector<occurrence> wanted;
  std::set<std::string, std::less<>> refused_by;  // scheduler objects
  bool operator==(const reservation_ask&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.number, self.what, self.wanted, self.refused_by);
  }
};

struct reservation_change {
  attributes::attribute_set attributes;  // as they are when it is confirmed
  std::vector<occurrence> occurrences;
  bool operator==(const reservation_change&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.attributes, self.occurrences);
  }
};

struct reservation_state {
  std::uint64_t serial = 0;
  std::uint64_t version = 0;
  std::uint64_t order = 0;  // sequence of its submission: the order of listings
  reservation_phase phase = reservation_phase::none;
  schema::ReservationKind kind = schema::ReservationKind::ADVANCE;
  std::string id;                        // R5; its queue has this name
  attributes::attribute_set attributes;  // what was asked for, completed
  std::uint64_t job = 0;                 // of asap and fromJob
  std::vector<std::string> hosts;        // of maintenance
  std::vector<occurrence> occurrences;   // in order; those that are over may be forgotten, but for the last
  std::uint32_t over = 0;                // so many of them are over
  later_occurrences later;               // no place is asked for them yet
  std::uint32_t count = 0;               // of all it has ever had
  std::uint32_t running = 0;             // index of the open one; 0: none
  bool placed = false;                   // it was confirmed once: it has a partition
  std::string scheduler, partition;      // who has it; partition empty: in none
  std::optional<reservation_ask> ask;
  std::optional<reservation_change> change;  // that is asked for
  bool change_denied = false;                // the last one
  std::int64_t answer_by_ns = 0;             // it goes, or the change is given up, when there is no answer by then; 0: never
  std::int64_t answer_since_ns = 0;          // when the wait for it began
  std::vector<std::string> lost;             // vnodes of it that are not to be had: it is degraded
  std::int64_t retry_ns = 0;                 // when others are looked for
  std::int64_t retry_since_ns = 0;           // when the wait for that began
  std::int64_t later_retry_ns = 0;           // when places for more of the later ones are asked for again; 0: at once
  std::int64_t later_since_ns = 0;           // when the wait for that began
  bool in_conflict = false;                  // some of the lost are taken by maintenance
  bool retried = false;                      // it was degraded once
  std::vector<std::string> conflicts;        // of maintenance: reservations that lose vnodes to it
  std::int64_t submitted_ns = 0, changed_ns = 0;
  std::string deleted_by;  // user@host
  std::string end_reason;

  bool operator==(const reservation_state&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.serial, self.version, self.order, self.phase, self.kind, self.id, self.attributes, self.job, self.hosts, self.occurrences,
       self.over, self.later, self.count, self.running, self.placed, self.scheduler, self.partition, self.ask, self.change,
       self.change_denied, self.answer_by_ns, self.answer_since_ns, self.lost, self.retry_ns, self.retry_since_ns, self.later_retry_ns,
       self.later_since_ns, self.in_conflict, self.retried, self.conflicts, self.submitted_ns, self.changed_ns, self.deleted_by,
       self.end_reason);
  }
  bool degraded() const { return !lost.empty(); }
  bool lives() const { return phase != reservation_phase::none && phase < reservation_phase::being_deleted; }
  bool has_queue() const { return placed && phase != reservation_phase::ended; }
  // The schedulers had no room for some of its next occurrences; they are asked again.
  bool lacks_places() const;
  // The open window, or the next one; null: all are over.
  const occurrence* current() const;
  std::string_view owner() const;       // user@host
  std::string_view owner_name() const;  // user
  std::string_view name() const;        // Reserve_Name
};

// "R5.borg".
std::string full_id(const reservation_state& r, std::string_view server_name);
std::uint64_t number_of(std::string_view id);  // 5 of R5: reservations and jobs have one sequence of numbers
inline std::uint64_t number_of(const reservation_state& r) { return number_of(r.id); }
// RESV_CONFIRMED and the like, and its number (pbs guide: reservation states).
std::string_view state_name(const reservation_state& r);
int substate_of(const reservation_state& r);
// All attributes as pbs_rstat -f shows them.
attributes::attribute_set reservation_row(const reservation_state& r, std::string_view server_name);
// Vnodes of an exec_vnode, each once.
std::vector<std::string> vnodes_of(std::string_view exec_vnode);
// The vnodes of the occurrences that are not over; each once, in order. Neighbours mostly have the same place, which is read once.
std::vector<std::string> vnodes_to_come(const reservation_state& r);

// -- what may be asked of a reservation ----------------------------------------------------------------------------------------

// The job that a reservation is asked for (pbs_rsub -W qmove, --job), as it is then.
struct reservation_job {
  std::uint64_t serial = 0;
  std::string id, owner;  // owner: the user
  bool waits = false;     // it may still be moved
  bool runs = false;      // its program runs
  attributes::attribute_set attributes;
};

// A host that maintenance is asked for (pbs_rsub --hosts), as it is then.
struct host_to_reserve {
  struct vnode {
    std::string name, partition;
    std::int64_t cpus = 0;
  };
  std::string name;
  std::vector<vnode> vnodes;
};
host_to_reserve to_reserve(const host_state& host);

// A submission. The gateway adds what only the server can know.
struct submit_reservation {
  schema::sealed<schema::Request> request;
  std::uint64_t number = 0;
  std::string egroup;
  std::vector<host_to_reserve> hosts = {};     // of --hosts: those there are
  std::optional<reservation_job> of_job = {};  // nothing: there is no such job, or none was named
  // A submission with a rule has here when it is to begin. Who gives the command has it reckoned (recurrence_of).
  std::optional<values::reckoned_recurrence> reckoned = {};
};
// It has a rule, which may not be understood.
bool has_rule(schema::SubmitReservation::Reader asked);
struct reservation_request {  // deleteReservation, alterReservation
  schema::sealed<schema::Request> request;
};
struct reservation_answer {
  schema::sealed<schema::FromScheduler> message;
  std::string scheduler;
};
struct reservation_time {};  // something is due
// Vnodes of it that are not to be had now; none: all are.
struct reservation_lost {
  std::vector<std::string> vnodes;
  bool in_conflict = false;  // maintenance takes some of them
};
struct reservation_unused {};  // it had no job for delete_idle_time
struct reservation_empty {};   // of one that is being deleted: its jobs are gone, and its queue
using reservation_command = std::variant<submit_reservation, reservation_request, reservation_answer, reservation_time, reservation_lost,
                                         reservation_unused, reservation_empty>;

// Says what is to be reckoned before this command is decided; nothing: it has no rule, or will be refused anyway.
std::optional<values::recurrence_question> recurrence_of(const submit_reservation& command, const stamp& now, const settings& settings);
outcome decide(const reservation_state& r, const reservation_command& command, const stamp& now, const settings& settings);
void apply(reservation_state& r, const event_place& at, schema::ReservationEvent::Reader event);
inline void apply(reservation_state& r, const event_place& at, schema::Event::Reader event) {
  ANNALS_INVARIANT(event.isReservation(), "an event of another kind in a reservation's stream");
  apply(r, at, event.getReservation());
}

// -- what it still owes ----------------------------------------------------------------------------------------------------

// A moment at which something is due: then reservation_time.
struct reservation_wake {
  std::int64_t wall_ns;
  std::int64_t since_ns = 0;  // of a wait: when it began
};
effect_id id_of(const reservation_wake& effect);
std::vector<reservation_wake> pending_effects(const reservation_state& r, const settings& settings);

// The question is open, and all who may answer it have refused, or are gone. Who is off is waited for only while nobody has refused.
bool nobody_is_left_to_answer(const reservation_state& r, const settings& settings);

// May this requester change or delete it?
bool may_act(const reservation_state& r, const requester& by);

}  // namespace annals::model
