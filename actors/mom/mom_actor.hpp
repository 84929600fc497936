// The MoM of one host: keeps the runs, talks with the server, polls usage. Everything durable is in the runs' streams.
#pragma once

#include <caf/event_based_actor.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/link/peer_messages.hpp"
#include "actors/mom/hooks/mom_hooks.hpp"
#include "actors/mom/host/job_cookie.hpp"
#include "actors/mom/mom_schedulers.hpp"
#include "actors/mom/parts/part_actor.hpp"
#include "actors/mom/runs/run_actor.hpp"
#include "actors/mom/runs/ticket_check.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/message_type.hpp"

namespace annals::actors {

// A run that the log knows and that has not left.
struct known_run {
  values::run_key key;
  std::uint64_t stream = 0;
  std::uint64_t job_serial = 0;
  std::string cookie = {};
  std::string user = {};  // who may have processes here while the run is here
};
struct known_part {
  known_run what;
  std::string primary;
};

// Keeps a link to the MoM of another host until it is destroyed; what happens on it comes as sister_opened, sister_frame and
// sister_closed to the MoM's actor.
class sister_dialer {
 public:
  virtual ~sister_dialer() = default;
};
using dial_sister = std::function<std::unique_ptr<sister_dialer>(const std::string& host, const std::string& address, std::uint16_t port)>;
struct sister_opened {
  std::string host;
  wire::connection_ptr peer;
};
struct sister_frame {
  std::string host;
  wire::connection_ptr peer;
  schema::sealed_message message;
};
struct sister_closed {
  std::string host;
  wire::connection_ptr peer;
  std::string why;
};

struct mom_actor_parts {
  mom_parts runs;
  std::string host, version, log_uuid;  // log_uuid: 16 bytes
  std::string address;                  // where other MoMs reach this one; empty: where the server sees it
  std::uint16_t port = 0;
  std::vector<known_run> known;
  std::vector<left_run> left;  // the newest that have left, oldest first
  std::vector<known_part> known_parts;
  std::vector<left_run> left_parts;
  ticket_gate gate;
  dial_sister dial;
  // What this host reports about itself: its vnodes (name, attributes).
  std::function<void(schema::MomHello::Builder)> describe;
  std::function<double()> load;          // of this host now, as $max_load means it; empty: it is never busy
  caf::actor user_watch;                 // $restrict_user: gets look_at_users, and asks whose jobs are here; null: nobody is watched
  mom_schedulers_parts schedulers;       // host and notes are filled in by the actor
  hooks::hook_runner* runner = nullptr;  // null: no hook ever runs
  std::string hook_directory;            // mom_priv/hooks
  // How far the server's log was durable, by its last word; false: none yet.
  schema::sealed<schema::LogMark> server_mark;
  std::function<void(const schema::sealed<schema::LogMark>&)> keep_server_mark;  // over restarts; may be empty
  // The server wants this MoM to end, as at SIGTERM; empty: it goes on.
  std::function<void()> shut_down;
  std::function<std::string()> make_cookie = annals::mom::new_cookie;
  bool detached = true;  // helpers have threads of their own (not in simulation)
};

// Events of the process host on their way to a run.
struct host_event {
  values::program_key key;
  model::run_command command;
};

// Reads the log of a MoM: which runs are there, which have left.
struct mom_log_contents {
  std::vector<known_run> known;
  std::vector<left_run> left;
  std::vector<known_part> known_parts;
  std::vector<left_run> left_parts;
};
mom_log_contents read_mom_log(const log::log_reader& reader);

// Messages: peer_opened, peer_frame, peer_closed of the link to the server and of those that other MoMs, as primaries of
// runs, have opened to this one; sister_opened, sister_frame, sister_closed of those it opened itself; host_event; new_settings; poll atom
// (once a second by itself).
caf::behavior mom_actor(caf::event_based_actor* self, mom_actor_parts parts);

}  // namespace annals::actors

#define ANNALS_MOM_ACTOR_MESSAGES(MESSAGE) \
  MESSAGE(annals::actors::host_event)      \
  MESSAGE(annals::actors::sister_opened)   \
  MESSAGE(annals::actors::sister_frame)    \
  MESSAGE(annals::actors::sister_closed)
ANNALS_MOM_ACTOR_MESSAGES(ANNALS_MESSAGE)  // compiled in mom_messages.cpp
