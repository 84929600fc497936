// What the server's actors say to each other.
#pragma once

#include <caf/actor.hpp>
#include <caf/atom.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/link/peer_messages.hpp"
#include "actors/runtime/message_type.hpp"
#include "actors/runtime/messages.hpp"
#include "actors/server/reply_sink.hpp"
#include "events/log/log_mark.hpp"
#include "events/model/context.hpp"
#include "events/model/effect.hpp"
#include "events/model/job/run_rights.hpp"
#include "events/model/reservation/reservation.hpp"
#include "events/model/scheduler/scheduler.hpp"
#include "events/schema/message.hpp"
#include "events/schema/message_names.hpp"

namespace annals::actors {

// -- the process -----------------------------------------------------------------------------------------------------------

struct stop_server {
  std::string how;
};  // "quick": write it down and end

// The mark beside the log has moved on (actors/runtime/mark_keeper.hpp).
struct log_marked {
  log::log_mark mark;
};
using mark_told_atom = caf::atom_constant<caf::atom("marktold")>;

// -- jobs and hosts --------------------------------------------------------------------------------------------------------

// What names an order for as long as a host is owed it (actors/server/order_keys.hpp). It sorts by no time: owed_orders.hpp does.
struct order_key {
  std::uint64_t serial = 0;  // of the job; 0: it is of no job
  model::effect_id what;
  auto operator<=>(const order_key&) const = default;
};
// Something a host is owed until it is withdrawn; sent now if the host is there, and again after each new connection.
// `renewed`: it was owed before, and has a fresh ticket now.
struct post_to_host {
  std::string host;
  order_key key;
  schema::sealed<schema::ToMom> message;
  bool renewed = false;
};
struct withdraw_from_host {
  std::string host;
  order_key key;
};
// To a job with a run there: the host was created. What the job owed it before went nowhere, or was forgotten with the host.
struct host_created {
  std::string host;
};
// From a host: the ticket of its run ends before its files have come. The order goes out again, if it is owed.
struct ticket_wanted {
  std::uint64_t serial;
  std::uint32_t run;
};

// A job that owes nothing: its actor may leave memory. The gateway asks (with how many commands it has sent so far), the
// job says yes, and is dropped if nothing was sent to it meanwhile.
struct job_idle {
  std::uint64_t number;
  bool ended;
};
struct may_you_leave {
  std::uint64_t sent;
};
struct i_may_leave {
  std::uint64_t number;
  std::uint64_t sent;
};

// A command of a run speaks, by the word of its host's MoM, over a connection: as whom may it? Answered with run_user.
struct run_user_wanted {
  std::uint64_t connection;
  std::uint32_t run;
  std::string host;
};
struct run_user {
  std::uint64_t connection;
  model::run_identity who;  // nobody: this run is not there
};

// The usage that a job has asked its first host for has come.
struct usage_answered {
  std::uint64_t question;
  std::string host;
};

// To itself: a release that was asked for in the job is on disk. It is answered when the first host has taken it in (RD-16), or after
// limits::node_file_word_s.
struct release_on_disk {
  reply_ptr reply;
  std::uint64_t sequence;
  std::string text;
};

// Somebody wants to sit at the terminal of an interactive job, over a connection. Answered with terminal_judged.
struct terminal_wanted {
  std::uint64_t connection;
  model::requester by;
};
struct terminal_judged {
  std::uint64_t connection;
  std::optional<model::rejection> why;  // he may not
};

// A host's MoM is there (again): what it says it has, and what the log says it has.
struct expected_run {
  std::uint64_t serial;
  std::uint64_t number;
  std::uint32_t run;
  std::uint64_t assigned;
};  // at this position
struct run_name {
  std::uint64_t serial;
  std::uint32_t run;
  std::string job;
};
struct mom_connected {
  wire::connection_ptr peer;
  schema::sealed<schema::FromMom> hello;
  std::vector<expected_run> expected;  // runs whose primary it is
  std::vector<run_name> unwanted;      // of those it has: the log says that they are over there
  std::vector<run_name> kept;          // may be of a part of the log that was lost: the host is down until they have left
  std::string refused = {};            // why nothing that it says of vnodes is taken
  model::settings_ptr settings = {};   // as they are now
};
struct mom_gone {
  wire::connection_ptr peer;
  std::string why;
};
// From a host to the gateway: the MoM no longer has this run.
struct run_missing {
  expected_run run;
  bool log_is_new;
};
// The same of a run that was to be discarded there; `abandoned`: nobody knows, since the host is down.
struct discard_settled {
  std::uint64_t serial;
  std::uint32_t run;
  std::string host;
  bool abandoned;
};
// The script that is to travel in a job's order.
struct script_wanted {
  std::string hash;
  caf::actor job;
};
struct script_read {
  std::optional<std::vector<std::byte>> text;  // nothing: the log does not have it, or not as it was
};
// A blob that a MoM may have, on its way to it: of this size and for this run (serial 0: of a hook). `read`: done when it
// was read and is about to leave.
struct blob_wanted {
  wire::connection_ptr peer;
  std::string hash;
  std::uint64_t size;
  run_name of;
  reply_ptr read{};
};

// -- scheduler -------------------------------------------------------------------------------------------------------------

struct scheduler_connected {
  wire::connection_ptr peer;
  std::string name;
};
struct scheduler_disconnected {
  wire::connection_ptr peer;
};
struct scheduler_frame {
  std::string from;
  schema::sealed<schema::FromScheduler> message;
};
struct restart_cycle {};  // a hook asks for a scheduling cycle
struct proposal_settled {
  std::string scheduler;
  std::uint64_t job;  // serial; of an array's subjob values::subjob_number(array's serial, index)
  std::uint64_t cycle;
  bool refused;
  model::rejection why;
};

// A reservation for a job, or of hosts: from the gateway to the query actor, which says what they are, and back.
struct reservation_for_job {
  schema::sealed<schema::Request> request;
  model::requester by;
  std::string group;
  sink_ptr to;
  std::uint64_t min_sequence = 0;
  caf::actor gateway;
  std::optional<model::reservation_job> job = {};
  std::vector<model::host_to_reserve> hosts = {};
  std::uint64_t cause = 0;  // of a reaction's order: then it is the job's owner who asks
};
// From the gateway to itself: the submission with this number was not taken.
struct reservation_refused {
  std::uint64_t number;
};

// -- queries ---------------------------------------------------------------------------------------------------------------

// Stat, select, wait: answered when everything up to min_sequence is folded.
struct query {
  sink_ptr to;
  schema::sealed<schema::Request> request;
  model::requester by;
  std::uint64_t min_sequence = 0;
  std::uint64_t client = 0;  // which waits (client_gone); 0: none that could go
};

// A piece of an upload (putBlob). `client`: what one client sent ahead is there for it alone, until it is gone.
struct upload_piece {
  std::uint64_t client;
  sink_ptr to;
  schema::sealed<schema::Request> request;
  model::requester by;
};
// A submission names an upload: did this client make it, and has it this size?
struct claim_upload {
  std::uint64_t client;
  std::string hash;
  std::uint64_t size;
  reply_ptr then;
};
// To who keeps something for this client.
struct client_gone {
  std::uint64_t client;
};

// -- by hand ---------------------------------------------------------------------------------------------------------------

// qrun and qorder: the query actor knows all of the jobs and where there is room. It answers by asking the scheduler, or
// with commands for the jobs; a run by hand is asked of the runjob hooks first, as one that the scheduler proposes.
struct by_hand {
  schema::sealed<schema::Request> request;
  model::requester by;
  std::uint64_t min_sequence = 0;
  reply_ptr reply;
  caf::actor gateway;
  std::uint32_t from = 0;  // of a range of subjobs: those before have been run
};
struct job_command_for {
  std::uint64_t number;
  model::job_command command;
  model::requester by;
  std::string command_id;
  reply_ptr reply;
};
// The same for a scheduler object.
struct scheduler_command_for {
  std::string name;
  model::scheduler_command command;
  model::requester by;
  std::string command_id;
  reply_ptr reply;
};
// A suspended job could not be resumed at once: it is when there is room.
struct resume_waits {
  std::uint64_t number;
  model::requester by;
  reply_ptr reply;
};

}  // namespace annals::actors

#define ANNALS_SERVER_MESSAGES(MESSAGE)           \
  MESSAGE(annals::actors::stop_server)            \
  MESSAGE(annals::actors::log_marked)             \
  MESSAGE(annals::actors::post_to_host)           \
  MESSAGE(annals::actors::withdraw_from_host)     \
  MESSAGE(annals::actors::host_created)           \
  MESSAGE(annals::actors::ticket_wanted)          \
  MESSAGE(annals::actors::job_idle)               \
  MESSAGE(annals::actors::may_you_leave)          \
  MESSAGE(annals::actors::i_may_leave)            \
  MESSAGE(annals::actors::run_user_wanted)        \
  MESSAGE(annals::actors::run_user)               \
  MESSAGE(annals::actors::usage_answered)         \
  MESSAGE(annals::actors::release_on_disk)        \
  MESSAGE(annals::actors::terminal_wanted)        \
  MESSAGE(annals::actors::terminal_judged)        \
  MESSAGE(annals::actors::mom_connected)          \
  MESSAGE(annals::actors::mom_gone)               \
  MESSAGE(annals::actors::run_missing)            \
  MESSAGE(annals::actors::discard_settled)        \
  MESSAGE(annals::actors::script_wanted)          \
  MESSAGE(annals::actors::script_read)            \
  MESSAGE(annals::actors::blob_wanted)            \
  MESSAGE(annals::actors::scheduler_connected)    \
  MESSAGE(annals::actors::scheduler_disconnected) \
  MESSAGE(annals::actors::scheduler_frame)        \
  MESSAGE(annals::actors::restart_cycle)          \
  MESSAGE(annals::actors::proposal_settled)       \
  MESSAGE(annals::actors::reservation_for_job)    \
  MESSAGE(annals::actors::reservation_refused)    \
  MESSAGE(annals::actors::query)                  \
  MESSAGE(annals::actors::upload_piece)           \
  MESSAGE(annals::actors::claim_upload)           \
  MESSAGE(annals::actors::client_gone)            \
  MESSAGE(annals::actors::by_hand)                \
  MESSAGE(annals::actors::job_command_for)        \
  MESSAGE(annals::actors::scheduler_command_for)  \
  MESSAGE(annals::actors::resume_waits)
ANNALS_SERVER_MESSAGES(ANNALS_MESSAGE)  // compiled in messages.cpp
