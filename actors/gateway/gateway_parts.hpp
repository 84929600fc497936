// The world as the gateway and its routes see it: other actors, files, keys and limits. Made once by who starts the server.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/gateway/callers/authorise.hpp"
#include "actors/gateway/directory.hpp"
#include "actors/gateway/hosts/log_witnesses.hpp"
#include "actors/gateway/hosts/sockets_keeper.hpp"
#include "actors/gateway/jobs/run_ticket.hpp"
#include "actors/gateway/schedulers/scheduler_hosting.hpp"
#include "actors/link/wire/wire_limits.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/event_sourced_actor.hpp"
#include "actors/server/messages.hpp"
#include "hooks-runtime/pool/hook_runner.hpp"

namespace annals::actors {

struct gateway_parts {
  event_sourced_actor_parts base;
  std::shared_ptr<directory> where;  // what replay has folded
  std::vector<std::uint64_t> owing;  // serials of jobs that owe something at the start
  caf::actor status;                 // queries, and what schedulers are told
  std::uint32_t server_uid = 0;
  std::function<void(const std::string& how)> shut_down;  // after qterm was answered
  std::function<void()> refuse_clients;                   // an orderly stop has begun: no new connections; may be empty
  daemon_log* notes = nullptr;                            // the server's log
  caf::actor uploads;                                     // takes putBlob requests, knows who uploaded what
  caf::actor blobs;                                       // reads what MoMs may have and sends it (blob_wanted)
  caf::actor scripts;                                     // reads what travels in the orders of jobs (script_wanted)
  caf::actor feed;                                        // feeds followers; null: there are none
  ticket_signer sign_ticket;                              // empty: runs on several hosts get none, and their sisters refuse
  hooks::hook_runner* runner = nullptr;                   // null: no hook ever runs
  std::string hook_directory;                             // where the hooks' files stand, for the log
  sockets_keeper keep_sockets;                            // null: nobody asks
  log_witnesses witnesses;                                // MoMs that know how far the log went
  look_up_groups groups_of = groups_by_name_service;      // on threads of its own
  scheduler_hosting schedulers;
  std::size_t remote_callers_max = limits::remote_callers_max;  // commands on other hosts at a time
  // Told with one message (actors/sessions/resting_jobs.hpp): while they are written the next ones are decided, and no query waits for
  // long.
  std::size_t resting_jobs_at_once = 1024;
  bool detached = true;  // helpers have threads of their own (not in simulation)
};

}  // namespace annals::actors
