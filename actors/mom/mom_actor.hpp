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
#include "actors/mom/host_event.hpp"
#include "actors/mom/mom_log.hpp"
#include "actors/mom/mom_schedulers.hpp"
#include "actors/mom/parts/part_actor.hpp"
#include "actors/mom/runs/run_actor.hpp"
#include "actors/mom/runs/sister_dialer.hpp"
#include "actors/mom/runs/ticket_check.hpp"
#include "actors/runtime/daemon_log.hpp"

namespace annals::actors {

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

// Messages: peer_opened, peer_frame, peer_closed of the link to the server and of those that other MoMs, as primaries of
// runs, have opened to this one; sister_opened, sister_frame, sister_closed of those it opened itself; host_event; new_settings; poll atom
// (once a second by itself).
caf::behavior mom_actor(caf::event_based_actor* self, mom_actor_parts parts);

}  // namespace annals::actors
