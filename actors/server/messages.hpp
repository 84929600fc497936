// What the server's actors say to each other and hear from the link.
#pragma once

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <kj/exception.h>

#include <cstdint>
#include <string>
#include <vector>

#include "actors/link/wire/wire.hpp"
#include "actors/runtime/reply.hpp"
#include "events/model/context.hpp"
#include "events/model/job.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/daemon.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

// -- from the link ---------------------------------------------------------------------------------------------------------

struct peer_opened { wire::connection_ptr peer; };
struct peer_frame { wire::connection_ptr peer; schema::sealed_message message; };
struct peer_closed { wire::connection_ptr peer; std::string why; };

// -- the process -----------------------------------------------------------------------------------------------------------

struct begin_work {};                     // every follower is in place: bring to life what owes something
struct stop_server { std::string how; };  // "quick": write it down and end
struct job_not_stopped { std::uint64_t number; };   // an orderly stop could not be written (a full disk): again

// -- jobs and hosts --------------------------------------------------------------------------------------------------------

// Something a host is owed until it is withdrawn; sent now if the host is there, and again after each new connection.
// `renewed`: it was owed before, and has a fresh ticket now.
struct post_to_host { std::string host; std::string key; schema::sealed<schema::ToMom> message; bool renewed = false; };
struct withdraw_from_host { std::string host; std::string key; };
// From a host: the ticket of its run ends before its files have come. The order goes out again, if it is owed.
struct ticket_wanted { std::uint64_t serial; std::uint32_t run; };

// A job that owes nothing: its actor may leave memory. The gateway asks (with how many commands it has sent so far), the
// job says yes, and is dropped if nothing was sent to it meanwhile.
struct job_idle { std::uint64_t number; bool ended; };
struct may_you_leave { std::uint64_t sent; };
struct i_may_leave { std::uint64_t number; std::uint64_t sent; };

// A host's MoM is there (again): what it says it has, and what the log says it has.
struct expected_run { std::uint64_t serial; std::uint64_t number; std::uint32_t run; std::uint64_t assigned; };   // at this position
struct run_name { std::uint64_t serial; std::uint32_t run; std::string job; };
struct mom_connected {
  wire::connection_ptr peer;
  schema::sealed<schema::FromMom> hello;
  std::vector<expected_run> expected;     // runs whose primary it is
  std::vector<run_name> unwanted;         // of those it has: the log says that they are over there
};
struct mom_gone { wire::connection_ptr peer; std::string why; };
// From a host to the gateway: the MoM no longer has this run.
struct run_missing { expected_run run; bool log_is_new; };
// The same of a run that was to be discarded there; `abandoned`: nobody knows, since the host is down.
struct discard_settled { std::uint64_t serial; std::uint32_t run; std::string host; bool abandoned; };
struct blob_wanted { wire::connection_ptr peer; std::string hash; };

// -- scheduler -------------------------------------------------------------------------------------------------------------

struct scheduler_connected { wire::connection_ptr peer; std::string name; };
struct scheduler_disconnected { wire::connection_ptr peer; };
struct scheduler_frame { std::string from; schema::sealed<schema::FromScheduler> message; };
struct restart_cycle {};                  // a hook asks for a scheduling cycle
struct proposal_settled { std::string scheduler; std::uint64_t job; std::uint64_t cycle; bool refused; model::rejection why; };

// -- queries ---------------------------------------------------------------------------------------------------------------

// Does the work of a peer's message; one that turns out not to be readable ends its connection, never the server.
template <class Work>
void for_peer(const wire::connection_ptr& peer, Work&& work) {
  try {
    work();
  } catch (const kj::Exception& e) {
    peer->close(std::string("a message that can't be read: ") + e.getDescription().cStr());
  }
}

// Stat, select, wait: answered when everything up to min_sequence is folded.
struct query {
  wire::connection_ptr peer;
  schema::sealed<schema::Request> request;
  model::requester by;
  std::uint64_t min_sequence = 0;
};

// -- by hand ---------------------------------------------------------------------------------------------------------------

// qrun and qorder: the status actor knows all of the jobs and where there is room. It answers by asking the scheduler, or
// with commands for the jobs; a run by hand is asked of the runjob hooks first, as one that the scheduler proposes.
struct by_hand {
  schema::sealed<schema::Request> request;
  model::requester by;
  std::uint64_t min_sequence = 0;
  reply_ptr reply;
  caf::actor gateway;
};
struct job_command_for { std::uint64_t number; model::job_command command; model::requester by; std::string command_id; reply_ptr reply; };
// A suspended job could not be resumed at once: it is when there is room.
struct resume_waits { std::uint64_t number; model::requester by; reply_ptr reply; };

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::begin_work)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::stop_server)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::job_not_stopped)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::peer_opened)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::peer_frame)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::peer_closed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::post_to_host)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::withdraw_from_host)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::ticket_wanted)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::job_idle)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::may_you_leave)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::i_may_leave)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::mom_connected)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::mom_gone)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::run_missing)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::discard_settled)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::blob_wanted)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::scheduler_connected)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::scheduler_disconnected)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::scheduler_frame)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::restart_cycle)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::proposal_settled)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::by_hand)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::job_command_for)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::resume_waits)
