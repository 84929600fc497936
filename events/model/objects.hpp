// The server object (with the custom resources), queues and scheduler objects: attributes that qmgr sets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "events/attributes/bag.hpp"
#include "events/attributes/resources.hpp"
#include "events/model/context.hpp"
#include "events/model/outcome.hpp"
#include "events/model/site.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/daemon.capnp.h"

namespace annals::model {

// -- server --------------------------------------------------------------------------------------------------------------

struct server_state {
  std::uint64_t serial = 0;
  std::uint64_t version = 0;
  bool exists = false;
  std::string server_name, host_name;
  attributes::bag attributes;
  attributes::resource_catalogue resources;
};
struct server_up { std::string version, host_name, server_name, time_zone, log_uuid; };
struct wind_up { bool waits_for_jobs = false; };      // qterm -t immediate, or -t delay: the server ends when the last run has left
struct server_down { std::string how; };
using server_command = std::variant<server_up, wind_up, server_down, schema::sealed<schema::Request>>;   // manage: server, resource
outcome decide(const server_state& server, const server_command& command, const stamp& now, const site& site);
// Why who asks may not stop the server; nothing: they may (pbs guide: qterm).
std::optional<rejection> stop_refusal(const requester& by);
// From wind_up until the server's next start. The attribute server_state says so: Terminating, Terminating_Delayed.
bool winding_up(const site& site);
bool waits_for_jobs(const site& site);                // it was wind_up with waits_for_jobs
void apply(server_state& server, const event_place& at, schema::ServerEvent::Reader event);
inline void apply(server_state& server, const event_place& at, schema::Event::Reader event) {
  ANNALS_INVARIANT(event.isServer(), "an event of another kind in a server's stream");
  apply(server, at, event.getServer());
}

// -- queue ---------------------------------------------------------------------------------------------------------------

struct queue_state {
  std::uint64_t serial = 0;
  std::uint64_t version = 0;
  std::uint64_t order = 0;               // sequence of its creation
  bool exists = false;
  std::string name;
  attributes::bag attributes;
};
outcome decide(const queue_state& queue, const schema::sealed<schema::Request>& command, const stamp& now, const site& site);
void apply(queue_state& queue, const event_place& at, schema::QueueEvent::Reader event);
inline void apply(queue_state& queue, const event_place& at, schema::Event::Reader event) {
  ANNALS_INVARIANT(event.isQueue(), "an event of another kind in a queue's stream");
  apply(queue, at, event.getQueue());
}

// -- scheduler object ----------------------------------------------------------------------------------------------------

struct scheduler_state {
  std::uint64_t serial = 0;
  std::uint64_t version = 0;
  bool exists = false;
  bool connected = false;
  std::string name;
  std::uint64_t cycle = 0;               // number of the last cycle that began
  bool in_cycle = false;
  attributes::bag attributes;
};
struct scheduler_came { std::string host, version; };
struct scheduler_gone { std::string why; };
struct scheduler_said { schema::sealed<schema::FromScheduler> message; };   // cycleBegan, reasons, cycleEnded
using scheduler_command =
    std::variant<schema::sealed<schema::Request>, scheduler_came, scheduler_gone, scheduler_said>;
outcome decide(const scheduler_state& scheduler, const scheduler_command& command, const stamp& now, const site& site);
void apply(scheduler_state& scheduler, const event_place& at, schema::SchedulerEvent::Reader event);
inline void apply(scheduler_state& scheduler, const event_place& at, schema::Event::Reader event) {
  ANNALS_INVARIANT(event.isScheduler(), "an event of another kind in a scheduler's stream");
  apply(scheduler, at, event.getScheduler());
}

// -- what they share -----------------------------------------------------------------------------------------------------

// Checks the changes of a Manage request against the kind's table (name, permission, value) and gives the event with
// the canonical changes: += and -= are worked out, so that it says what the value is now.
outcome changed_or_refused(schema::ObjectKind kind, const attributes::bag& now_set, schema::Manage::Reader request,
                           const requester& by, const attributes::resource_catalogue& resources,
                           std::string_view vnode = {});
void apply_changes(schema::ObjectKind kind, attributes::bag& to, capnp::List<schema::Attribute>::Reader changes);

}  // namespace annals::model
