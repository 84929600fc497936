// The MoM of one host: keeps the runs, talks with the server, polls usage. Everything durable is in the runs' streams.
#pragma once

#include <caf/event_based_actor.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/mom/run_actor.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/server/messages.hpp"

namespace annals::actors {

// A run that the log knows and that has not left.
struct known_run { std::string key; std::uint64_t stream; std::uint64_t job_serial; std::uint32_t run; std::string job; };
struct left_run { std::uint64_t job_serial; std::uint32_t run; };

struct mom_actor_parts {
  mom_parts runs;
  std::string host, version, log_uuid;          // log_uuid: 16 bytes
  std::uint16_t port = 0;
  std::vector<known_run> known;
  std::vector<left_run> left;                   // the newest that have left, oldest first
  // What this host reports about itself: its vnodes (name, attributes).
  std::function<void(schema::MomHello::Builder)> describe;
  daemon_log* notes = nullptr;
};

// Events of the process host on their way to a run.
struct host_event { std::string key; model::run_command command; };

// Reads the log of a MoM: which runs are there, which have left.
struct mom_log_contents { std::vector<known_run> known; std::vector<left_run> left; };
mom_log_contents read_mom_log(const log::log_reader& reader);

// Messages: peer_opened, peer_frame, peer_closed of the link to the server; host_event; new_settings; poll atom (once a second by itself).
caf::behavior mom_actor(caf::event_based_actor* self, mom_actor_parts parts);

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::host_event)
